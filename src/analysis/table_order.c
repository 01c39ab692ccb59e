// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/table_order.h"

#include "base/array.h"

#include <string.h>

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

	if (a->ticks != b->ticks)
		return a->ticks > b->ticks ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
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

	ARRAY_COMPARE(b->total, a->total);
	return compare_rows(left, right);
}

void table_put_in_order(struct table *table, bool by_total)
{
	ARRAY_SORT(table->rows, table->row_count, by_total ? compare_totals : compare_rows);
}
