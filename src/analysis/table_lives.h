/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table_private.h"

/* The part of table_build() that knows what threads did with their time (--wall). */

/* The cells of BUILDER's profile are the amounts of a value: but for tables of reasons a wait is
 * its caller's.  Returns 0 or -ENOMEM; *RET_OF_VALUE is then the profile, and its cells are heap.
 */
int table_value_begin(const struct table_builder *builder, struct profile *ret_of_value);

/* Make of the amounts of BUILDER's profile the cells that are added up, if it has such an account:
 * but for tables of reasons a wait is its caller's, where that is known.  Returns 0
 * or -ENOMEM; in both cases table_lives_done() frees them. */
int table_lives_begin(struct table_builder *builder);
void table_lives_done(struct table_builder *builder);

/* CELL is of samples, and in ROW: what was idle. */
void table_lives_add_idle(struct table_builder *builder, const struct profile_cell *cell,
			  struct table_row *row);

/* Give the rows their own time.  Returns 0 or -ENOMEM. */
int table_lives_add(struct table_builder *builder);

/* Give them their totals; ROWS as table_totals_find() takes them.  Returns 0 or -ENOMEM. */
int table_lives_add_totals(struct table_builder *builder, uint32_t *rows);
