/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/table.h"

/* The part of table_build() that knows of call stacks. */

#define TABLE_NO_ROW UINT32_MAX

/* Give TABLE's rows their totals: the samples of PROFILE with a row's code anywhere on the stack,
 * each once.  ROWS has the row of each location, before they are in order; TABLE_NO_ROW: none.
 * The first CHARGED of them have cells; of the others those that were on no
 * stack are taken out.  Returns 0 or -ENOMEM. */
int table_totals_add(struct table *table, const struct profile *profile, uint32_t *rows,
		     size_t charged);
