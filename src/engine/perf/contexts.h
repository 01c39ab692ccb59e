/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/slots.h"
#include "histogram/histogram.h"

#include <stddef.h>
#include <stdint.h>

/* The calling contexts of a measurement, up to a limit: a tree, each found by its caller and what
 * it is itself, and each behind its caller. */

struct perf_contexts {
	struct histogram_context *contexts; /* heap */
	size_t count, limit;
	struct slots slots;
};

/* Room for LIMIT contexts, as perf_cells_init() has it for cells. */
int perf_contexts_init(struct perf_contexts *contexts, size_t limit);

/* The index of CONTEXT and 1, which is added where it is new; its parent is one that this returned,
 * or 0.  0: there is no room for another. */
uint32_t perf_contexts_add(struct perf_contexts *contexts, const struct histogram_context *context);

/* Append all to HISTOGRAM, which has none yet: indices stay.  Returns 0 or -ENOMEM. */
int perf_contexts_read(const struct perf_contexts *contexts, struct histogram *histogram);

void perf_contexts_done(struct perf_contexts *contexts);
