/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's file, compiled to an unwind table; and a walk by it up a stack that is the file. */

#include "fuzz.h"
#include "unwind/compile.h"
#include "unwind/walk.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 64 };

struct memory {
	const uint8_t *bytes;
	size_t size;
};

static int read_word(void *context, uint64_t address, uint32_t size, uint64_t *ret_word)
{
	const struct memory *memory = context;

	if (address > memory->size || size > memory->size - address)
		return 0;
	*ret_word = 0;
	memcpy(ret_word, memory->bytes + address, size);
	return 1;
}

static void walk(const struct unwind_table *table, struct memory *memory, uint64_t ip)
{
	uint64_t registers[16] = {8, 16, 24, 32, 40, 48, 56, 64};
	struct unwind_frame frame = {ip, 0, 32, 8, registers, true, true, true};

	enum unwind_end end = UNWIND_GOES_ON;

	for (int i = 0; i < FRAMES && end == UNWIND_GOES_ON; i++)
		end = unwind_step_by(table, unwind_address(&frame), &frame, read_word, memory);
	if (end >= UNWIND_END_COUNT)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct memory memory = {bytes, size};
	struct unwind_table table;

	if (unwind_compile(bytes, size, &table))
		return 0;
	for (size_t i = 0; i < table.row_count; i++) {
		const struct unwind_row *row = &table.rows[i];

		if ((i && row->offset <= row[-1].offset) || row->back > i ||
		    (row->rule >= UNWIND_FIRST_RULE && row->rule >= table.rule_count))
			abort();
		if (i < FRAMES)
			walk(&table, &memory, row->offset);
	}
	unwind_table_done(&table);
	return 0;
}
