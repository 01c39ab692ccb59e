/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "histogram/region.h"

#include <stddef.h>
#include <stdint.h>

/* The memory that a table's cells lie in: whole pages, disjoint, in rising order.  The area that
 * the kernel counts in holds them one behind the other. */

struct extent {
	uintptr_t start;
	size_t length;
	size_t place; /* in the area */
};

struct extents {
	struct extent *list; /* heap */
	size_t count;
	size_t size; /* of the area */
};

/* Regions may share pages, or parts of them; but a page in which something else than cells could
 * lie is refused with -EINVAL and a sentence. */
int extents_make(const struct region_table *table, struct extents *ret_extents,
		 struct error *reterr);

/* Where in the area CELLS lie, which are those of one of the regions. */
size_t extents_place(const struct extents *extents, const void *cells);

void extents_done(struct extents *extents);
