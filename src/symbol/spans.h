/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A map from addresses to values.  Ranges may overlap as they are added; once finished they are
 * disjoint and sorted, so that a lookup is one binary search.  Symbols, unwind entries, compile
 * units, functions and inlined calls are all kept in one of these. */

struct span {
	uint64_t start, end; /* half open */
	uint64_t value;	     /* the caller's */
	uint32_t rank;	     /* who wins among those that start together */
};

struct spans {
	struct span *items; /* heap; all zero is an empty map */
	size_t count, capacity;
};

/* Which of two spans that start together is the better one: > 0 if A. */
typedef int spans_order(const struct span *a, const struct span *b);

/* An empty range is left out.  Returns 0 or -ENOMEM. */
int spans_add(struct spans *spans, uint64_t start, uint64_t end, uint32_t rank, uint64_t value);

/* The better of two spans by rank, then by the lower value: an order for spans_finish(). */
int spans_by_rank(const struct span *a, const struct span *b);

/* Sort by start, the better of those that start together last. */
void spans_sort(struct spans *spans, spans_order *order);

/* Sort, and cut overlaps: an address belongs to the range that starts last among those that hold
 * it, which is the innermost where ranges nest.  Nothing may be added afterwards.
 * Returns 0 or -ENOMEM (the map is then as it was, sorted). */
int spans_finish(struct spans *spans, spans_order *order);

/* The span that holds ADDRESS, or NULL. */
const struct span *spans_find(const struct spans *spans, uint64_t address);

void spans_done(struct spans *spans);
