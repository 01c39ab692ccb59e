// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/table_inlines.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int table_inlines_add(struct table *table, struct keyset *keys, uint32_t number, uint32_t id,
		      const char *name, uint64_t ticks)
{
	const struct key key = {{number, id}};
	uint32_t part;
	int ret = keyset_add(keys, &key, &part);

	if (ret < 0 || ARRAY_RESERVE(table->parts, table->part_capacity, (size_t)part + 1))
		return -ENOMEM;
	if (ret > 0)
		table->parts[table->part_count++] = (struct table_part){name, 0, number};
	table->parts[part].ticks = ticks_add(table->parts[part].ticks, ticks);
	return 0;
}

/* RANKS has the place of each row by its number. */
static int compare(const void *left, const void *right, void *context)
{
	const uint32_t *ranks = context;
	const struct table_part *a = left, *b = right;

	ARRAY_COMPARE(ranks[a->row], ranks[b->row]);
	ARRAY_COMPARE(b->ticks, a->ticks);
	return strcmp(a->name, b->name);
}

int table_inlines_settle(struct table *table)
{
	uint32_t *ranks = calloc(table->row_count + 1, sizeof(*ranks));

	if (!ranks)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->row_count; i++)
		ranks[table->rows[i].number] = i;
	ARRAY_SORT_BY(table->parts, table->part_count, compare, ranks);
	for (uint32_t i = 0; i < table->part_count; i++) {
		struct table_row *row = &table->rows[ranks[table->parts[i].row]];

		if (!row->part_count++)
			row->first_part = i;
	}
	free(ranks);
	return 0;
}

struct table_row table_inlines_row(const struct table *table, const struct table_row *row,
				   uint32_t index)
{
	const struct table_part *part = &table->parts[row->first_part + index];
	struct table_row inner = *row;

	inner.name = inner.inlined = part->name;
	inner.ticks = part->ticks;
	inner.total = 0;
	inner.part_count = 0;
	return inner;
}
