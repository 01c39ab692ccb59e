/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"
#include "base/keyset.h"

/* The parts of a table's rows: what was inlined into a function, as one more level of rows. */

/* TICKS of row NUMBER are in the function called NAME, string ID, that was inlined there.  KEYS has
 * the parts so far.  Returns 0 or -ENOMEM. */
int table_inlines_add(struct table *table, struct keyset *keys, uint32_t number, uint32_t id,
		      const char *name, uint64_t ticks);

/* The rows are sorted: bring the parts in their order.  Returns 0 or -ENOMEM. */
int table_inlines_settle(struct table *table);

/* The part INDEX of ROW as a row: named and inlined after the part. */
struct table_row table_inlines_row(const struct table *table, const struct table_row *row,
				   uint32_t index);
