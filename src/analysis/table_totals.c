// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/table_totals.h"

#include "analysis/tree.h"
#include "base/array.h"

#include <string.h>

int table_totals_find(const struct table *table, const struct profile *profile, uint32_t *rows,
		      uint64_t *ret_totals)
{
	/* What a tree of functions is made of, with rows in their place: behind them what is in
	 * none, and the callers that are not known. */
	struct tree_functions as_functions = {.of_location = rows,
					      .count = (uint32_t)table->row_count + 2};
	struct tree *tree;
	int ret;

	for (size_t i = 0; i < profile->location_count; i++)
		if (rows[i] == TABLE_NO_ROW)
			rows[i] = (uint32_t)table->row_count;
	ret = tree_build(profile, &as_functions, &(struct tree_options){0}, &tree);
	if (ret < 0)
		return ret;
	for (size_t i = 0; i < table->row_count; i++)
		ret_totals[i] = tree->sums[i].total;
	(void)tree_free(tree);
	return 0;
}

void table_totals_keep(struct table *table, size_t counted)
{
	size_t count = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		struct table_row *row = &table->rows[i];

		row->number = (uint32_t)count;
		if (i < counted || row->total || table_time(row->all))
			table->rows[count++] = *row;
	}
	table->row_count = count;
	table->has_totals = true;
}

/* The first difference of two texts or numbers decides. */
static int compare_texts(const struct table_row *a, const struct table_row *b)
{
	int order = strcmp(a->name, b->name);

	if (!order)
		order = strcmp(a->object, b->object);
	if (!order)
		order = strcmp(a->path, b->path);
	if (!order)
		order = strcmp(a->function, b->function);
	if (!order)
		order = strcmp(a->inlined, b->inlined);
	return order ? order : strcmp(a->file, b->file);
}

static int compare_rows(const void *left, const void *right)
{
	const struct table_row *a = left, *b = right;
	int order;

	ARRAY_COMPARE(ticks_add(table_time(b->own), b->idle),
		      ticks_add(table_time(a->own), a->idle));
	ARRAY_COMPARE(table_time(b->all), table_time(a->all));
	ARRAY_COMPARE(b->ticks, a->ticks);
	ARRAY_COMPARE(b->total, a->total);
	order = compare_texts(a, b);
	if (order)
		return order;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static int compare_totals(const void *left, const void *right)
{
	const struct table_row *a = left, *b = right;

	ARRAY_COMPARE(table_time(b->all), table_time(a->all));
	ARRAY_COMPARE(b->total, a->total);
	return compare_rows(left, right);
}

void table_put_in_order(struct table *table, bool by_total)
{
	ARRAY_SORT(table->rows, table->row_count, by_total ? compare_totals : compare_rows);
}
