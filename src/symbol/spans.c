// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/spans.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

/* The walk from low to high addresses that makes ranges disjoint.
 *
 *	added      |------- A -------|
 *	               |-- B --|
 *	finished   | A |   B   |  A  |
 *
 * OPEN is a stack of the ranges begun so far; its top owns the present POSITION. */
struct sweep {
	const struct span **open;
	size_t depth, capacity;
	uint64_t position;
	struct spans flat;
};

int spans_add(struct spans *spans, uint64_t start, uint64_t end, uint32_t rank, uint64_t value)
{
	if (start >= end)
		return 0;
	if (ARRAY_RESERVE(spans->items, spans->capacity, spans->count + 1))
		return -ENOMEM;
	spans->items[spans->count++] = (struct span){start, end, value, rank};
	return 0;
}

int spans_by_rank(const struct span *a, const struct span *b)
{
	if (a->rank != b->rank)
		return a->rank > b->rank ? 1 : -1;
	return (a->value < b->value) - (a->value > b->value);
}

static int compare(const void *a, const void *b, void *order)
{
	const struct span *first = a, *second = b;

	if (first->start != second->start)
		return first->start > second->start ? 1 : -1;
	return (*(spans_order **)order)(first, second);
}

void spans_sort(struct spans *spans, spans_order *order)
{
	ARRAY_SORT_BY(spans->items, spans->count, compare, &order);
}

static int emit(struct spans *flat, const struct span *from, uint64_t start, uint64_t end)
{
	struct span *last = flat->count ? &flat->items[flat->count - 1] : NULL;

	if (last && last->end == start && last->value == from->value && last->rank == from->rank) {
		last->end = end;
		return 0;
	}
	return spans_add(flat, start, end, from->rank, from->value);
}

/* Give every address up to LIMIT to the range that owns it. */
static int sweep_to(struct sweep *sweep, uint64_t limit)
{
	while (sweep->depth && sweep->position < limit) {
		const struct span *top = sweep->open[sweep->depth - 1];
		uint64_t end = top->end < limit ? top->end : limit;

		if (top->end <= sweep->position) {
			sweep->depth--;
			continue;
		}
		if (emit(&sweep->flat, top, sweep->position, end))
			return -ENOMEM;
		sweep->position = end;
	}
	sweep->position = limit;
	return 0;
}

static int sweep_all(struct sweep *sweep, const struct spans *spans)
{
	for (size_t i = 0; i < spans->count; i++) {
		if (sweep_to(sweep, spans->items[i].start))
			return -ENOMEM;
		if (ARRAY_RESERVE(sweep->open, sweep->capacity, sweep->depth + 1))
			return -ENOMEM;
		sweep->open[sweep->depth++] = &spans->items[i];
	}
	return sweep_to(sweep, UINT64_MAX);
}

int spans_finish(struct spans *spans, spans_order *order)
{
	struct sweep sweep = {0};
	int result;

	spans_sort(spans, order);
	result = sweep_all(&sweep, spans);
	free(sweep.open);
	if (result) {
		spans_done(&sweep.flat);
		return result;
	}
	spans_done(spans);
	*spans = sweep.flat;
	return 0;
}

const struct span *spans_find(const struct spans *spans, uint64_t address)
{
	size_t at = ARRAY_FIRST_NOT(i, spans->count, spans->items[i].end <= address);

	if (at == spans->count || spans->items[at].start > address)
		return NULL;
	return &spans->items[at];
}

void spans_done(struct spans *spans)
{
	free(spans->items);
	*spans = (struct spans){0};
}
