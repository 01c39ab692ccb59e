/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/histogram.h"
#include "histogram/region.h"
#include "saver/objects.h"

/* The cells of TABLE that hold ticks, each at the first address of its own, as HISTOGRAM's; an
 * overflow bin's as unresolved.  HISTOGRAM's fired ticks become as many more.
 * Returns 0 or -ENOMEM; HISTOGRAM is to be freed in both cases. */
int cells_read(const struct region_table *table, struct histogram *histogram);
