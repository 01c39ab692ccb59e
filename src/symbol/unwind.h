/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/spans.h"

#include <libelf.h>

/* Where functions begin and end by the unwind table (.eh_frame), which stripping leaves.
 * Fills *RET_FUNCTIONS with one span a function, its value being its start; no span when the file
 * has no table or one that cannot be read.  Returns 0 or -ENOMEM. */
int unwind_read(Elf *elf, struct spans *ret_functions);
