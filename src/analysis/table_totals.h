/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"

/* The part of table_build() that knows of call stacks. */

#define TABLE_NO_ROW UINT32_MAX

/* The total of each of TABLE's rows: the cells of PROFILE with its code anywhere on the stack, each
 * once.  ROWS has the row of each location, before they are in order; TABLE_NO_ROW: none.  Returns
 * 0 or -ENOMEM. */
int table_totals_find(const struct table *table, const struct profile *profile, uint32_t *rows,
		      uint64_t *ret_totals);

/* The rows have totals.  Behind the first COUNTED, which have cells, those that were on no stack
 * are taken out. */
void table_totals_keep(struct table *table, size_t counted);

/* The rows of TABLE by what they have, then by what they are, so that the order is total. */
void table_put_in_order(struct table *table, bool by_total);
