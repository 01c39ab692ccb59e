/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/callers.h"

/* Where a tick works while it walks up a stack: the program's own stack may be small. */
struct guest_bench {
	struct guest *guest;
	uint64_t registers[16];
	uint64_t start, size; /* of what the window shows of the program's memory */
	uint8_t window[2048];
	struct unwind_call calls[];
};
