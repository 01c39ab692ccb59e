/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/walk.h"

#include <stdlib.h>
#include <string.h>

/* A walk by a table up a stack that is any bytes. */

enum { FRAMES = 64 };

struct memory {
	const uint8_t *bytes;
	size_t size;
};

static inline int read_word(void *context, uint64_t address, uint32_t size, uint64_t *ret_word)
{
	const struct memory *memory = context;

	if (address > memory->size || size > memory->size - address)
		return 0;
	*ret_word = 0;
	memcpy(ret_word, memory->bytes + address, size);
	return 1;
}

static inline void walk(const struct unwind_table *table, struct memory *memory, uint64_t ip)
{
	uint64_t registers[16] = {8, 16, 24, 32, 40, 48, 56, 64};
	struct unwind_frame frame = {ip, 0, 32, 8, registers, true, true, true};
	enum unwind_end end = UNWIND_GOES_ON;

	for (int i = 0; i < FRAMES && end == UNWIND_GOES_ON; i++)
		end = unwind_step_by(table, unwind_address(&frame), &frame, read_word, memory);
	if (end >= UNWIND_END_COUNT)
		abort();
}
