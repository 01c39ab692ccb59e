/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/region.h"

/* How many spans COUNT regions have at most. */
size_t region_spans_room(size_t count);

/* Write the spans of REGIONS, disjoint and in rising order, to RET_SPANS, which has room for
 * region_spans_room(COUNT).  Returns 0 or -ENOMEM. */
int region_spans_make(const struct region *regions, size_t count, struct region_span *ret_spans,
		      size_t *ret_count);
