// SPDX-License-Identifier: BSD-2-Clause
#include "base/array.h"
#include "unwind/table.h"

const struct unwind_row *unwind_find(const struct unwind_table *table, uint64_t offset)
{
	size_t after = ARRAY_FIRST_NOT(i, table->row_count, table->rows[i].offset <= offset);

	return after ? &table->rows[after - 1] : NULL;
}
