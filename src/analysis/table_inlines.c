// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/table_inlines.h"

#include "analysis/table_private.h"
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int table_part_find(struct table_builder *builder, const struct place *place, uint32_t number,
		    struct table_part **ret_part)
{
	const struct key key = {{number, place->inlined}};
	struct table *table = builder->table;
	uint32_t part;
	int ret;

	*ret_part = NULL;
	if (!builder->options->inlines || !place->inlined)
		return 0;
	ret = keyset_add(&builder->parts, &key, &part);
	if (ret < 0 || ARRAY_RESERVE(table->parts, table->part_capacity, (size_t)part + 1))
		return -ENOMEM;
	if (ret > 0)
		table->parts[table->part_count++] = (struct table_part){
			.name = profile_text(builder->profile, place->inlined), .row = number};
	*ret_part = &table->parts[part];
	return 0;
}

/* RANKS has the place of each row by its number. */
static int compare(const void *left, const void *right, void *context)
{
	const uint32_t *ranks = context;
	const struct table_part *a = left, *b = right;

	ARRAY_COMPARE(ranks[a->row], ranks[b->row]);
	ARRAY_COMPARE(table_time(b->own), table_time(a->own));
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
	memcpy(inner.own, part->own, sizeof(inner.own));
	memset(inner.all, 0, sizeof(inner.all));
	inner.part_count = 0;
	return inner;
}
