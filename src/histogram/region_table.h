/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/region.h"

/* What region_table_new() makes and a tick reads. */
struct region_table {
	struct region *regions;
	size_t region_count;
	struct region_span *spans; /* disjoint, in rising order */
	size_t span_count;
};
