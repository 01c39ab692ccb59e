/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/place.h"
#include "analysis/table.h"
#include "base/keyset.h"

/* What the parts of a table share while it grows: table.c adds samples, table_lives.c time. */

struct table_builder {
	const struct profile *profile;
	const struct table_options *options;
	const regex_t *function; /* NULL: all functions */
	uint32_t *objects;
	struct keyset keys, parts; /* one row a key */
	struct table *table;
	size_t row_capacity;
	struct profile lives[LIFE_VALUES]; /* PROFILE with cells of that (table_lives.h) */
};

/* The row of what is at PLACE and TASK's, which may be NULL; made where there was none.  Returns 1
 * with its number, 0 where it does not pass the filters, or -ENOMEM. */
int table_row_find(struct table_builder *builder, const struct place *place,
		   const struct profile_task *task, uint32_t *ret_number);

/* The part of row NUMBER that was inlined at PLACE, NULL where there is none or it was not asked
 * for.  Returns 0 or -ENOMEM. */
int table_part_find(struct table_builder *builder, const struct place *place, uint32_t number,
		    struct table_part **ret_part);
