/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"

/* The parts of a table's rows: what was inlined into a function, as one more level of rows. */

/* The rows are sorted: bring the parts in their order.  Returns 0 or -ENOMEM. */
int table_inlines_settle(struct table *table);

/* The part INDEX of ROW as a row: named and inlined after the part. */
struct table_row table_inlines_row(const struct table *table, const struct table_row *row,
				   uint32_t index);
