// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/table_totals.h"

#include "analysis/tree.h"

int table_totals_add(struct table *table, const struct profile *profile, uint32_t *rows,
		     size_t charged)
{
	/* What a tree of functions is made of, with rows in their place: behind them what is in
	 * none, and the callers that are not known. */
	struct tree_functions as_functions = {.of_location = rows,
					      .count = (uint32_t)table->row_count + 2};
	struct tree *tree;
	size_t count = 0;
	int ret;

	for (size_t i = 0; i < profile->location_count; i++)
		if (rows[i] == TABLE_NO_ROW)
			rows[i] = (uint32_t)table->row_count;
	ret = tree_build(profile, &as_functions, &(struct tree_options){0}, &tree);
	if (ret < 0)
		return ret;
	for (size_t i = 0; i < table->row_count; i++) {
		table->rows[i].total = tree->sums[i].total;
		table->rows[i].number = (uint32_t)count;
		if (i < charged || table->rows[i].total)
			table->rows[count++] = table->rows[i];
	}
	table->row_count = count;
	table->has_totals = true;
	(void)tree_free(tree);
	return 0;
}
