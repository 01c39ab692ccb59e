/* SPDX-License-Identifier: BSD-2-Clause */
/* A program's file, compiled to an unwind table; and a walk by it up a stack that is the file. */

#include "fuzz.h"
#include "unwind/compile.h"
#include "walk.h"

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
