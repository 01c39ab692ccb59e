// SPDX-License-Identifier: BSD-2-Clause
#include "profile/counts.h"

#include "base/array.h"

#include <string.h>

/* What is counted: an array's elements, and where each has its count. */
struct kind {
	size_t size, count;
	int (*compare)(const void *left, const void *right);
};

static int compare_cells(const void *left, const void *right)
{
	const struct profile_cell *a = left, *b = right;

	ARRAY_COMPARE(a->location, b->location);
	ARRAY_COMPARE(a->task, b->task);
	ARRAY_COMPARE(a->context, b->context);
	ARRAY_COMPARE(a->stack_end, b->stack_end);
	ARRAY_COMPARE(a->value, b->value);
	return 0;
}

static int compare_calls(const void *left, const void *right)
{
	const struct profile_call *a = left, *b = right;

	ARRAY_COMPARE(a->callee, b->callee);
	ARRAY_COMPARE(a->caller, b->caller);
	return 0;
}

/* How many of them stand in order already, without equal ones: what was read from a file does. */
static size_t find_ordered(const char *items, size_t count, const struct kind *kind)
{
	size_t i = 1;

	while (i < count && kind->compare(items + (i - 1) * kind->size, items + i * kind->size) < 0)
		i++;
	return i < count ? i : count;
}

static void add(char *to, const char *from, size_t offset)
{
	uint64_t sum, more;

	memcpy(&sum, to + offset, sizeof(sum));
	memcpy(&more, from + offset, sizeof(more));
	sum = ticks_add(sum, more);
	memcpy(to + offset, &sum, sizeof(sum));
}

static size_t add_up(void *array, size_t count, const struct kind *kind)
{
	char *items = array, *last = items;
	size_t kept = 1;

	if (find_ordered(items, count, kind) == count)
		return count;
	qsort(items, count, kind->size, kind->compare);
	for (size_t i = 1; i < count; i++) {
		const char *item = items + i * kind->size;

		if (!kind->compare(last, item)) {
			add(last, item, kind->count);
			continue;
		}
		last = items + kept++ * kind->size;
		memmove(last, item, kind->size);
	}
	return kept;
}

size_t counts_add_cells(struct profile_cell *cells, size_t count)
{
	static const struct kind kind = {sizeof(*cells), offsetof(struct profile_cell, ticks),
					 compare_cells};

	return add_up(cells, count, &kind);
}

size_t counts_add_calls(struct profile_call *calls, size_t count)
{
	static const struct kind kind = {sizeof(*calls), offsetof(struct profile_call, count),
					 compare_calls};

	return add_up(calls, count, &kind);
}

struct profile_cell *counts_find_cell(struct profile_cell *cells, size_t count,
				      const struct profile_cell *what)
{
	return count ? bsearch(what, cells, count, sizeof(*cells), compare_cells) : NULL;
}
