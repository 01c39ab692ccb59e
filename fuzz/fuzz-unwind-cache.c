/* SPDX-License-Identifier: BSD-2-Clause */
/* A table of the cache whose sum is right, as only its writer can have it; and a walk by it up a
 * stack that is the same bytes. */

#include "fuzz.h"
#include "unwind/cache.h"
#include "walk.h"

/* As fuzz-unwind.c has it of a table that was compiled. */
static void check(const struct unwind_table *table, struct memory *memory)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct unwind_row *row = &table->rows[i];

		if ((i && row->offset <= row[-1].offset) ||
		    (row->back > i && row->back != UINT16_MAX) ||
		    (row->rule >= UNWIND_FIRST_RULE && row->rule >= table->rule_count))
			abort();
		if (i < FRAMES)
			walk(table, memory, row->offset);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct memory memory = {bytes, size};
	struct unwind_cache_key key;
	struct unwind_cache_head *head;
	struct unwind_table table;

	if (size < sizeof(*head))
		return 0;
	head = malloc(size);
	if (!head)
		return 0;
	memcpy(head, bytes, size);
	head->sum = unwind_cache_sum(head, size);
	key = head->key;
	key.word_size = 0;
	if (!unwind_cache_parse(head, size, &key, &table)) {
		check(&table, &memory);
		unwind_table_done(&table);
	}
	free(head);
	return 0;
}
