// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/region_spans.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

/* Regions overlap; spans do not.  One walk upwards over the regions in the order of their starts
 * keeps the open ones on a stack.  The last that was opened has the largest offset, so it has the
 * address, and what lies under it has the rest again when it ends:
 *
 *	region 0   |---------------------------|
 *	region 1        |----------------|
 *	region 2              |-----|
 *	region 3                                  |-----|
 *	spans      |--0-|--1--|--2--|--1-|---0-|  |--3--|
 */
struct walk {
	uintptr_t at;		  /* spans are made up to here */
	struct region_span *open; /* the stack */
	size_t depth;
	struct region_span *spans;
	size_t count;
	bool fills_gaps;
	uint32_t filler; /* the catch_all; or REGION_NONE, where a region's cells go on in a gap */
};

static uintptr_t cells_end(const struct region *region)
{
	uint64_t distance;

	if (!region->granule)
		distance =
			scale_distance(region->rule, region->count, region->scale, region->width);
	else if (__builtin_mul_overflow(region->granule, region->count, &distance))
		distance = UINT64_MAX;
	if (distance > UINTPTR_MAX - region->offset)
		return UINTPTR_MAX;
	return region->offset + (uintptr_t)distance;
}

uintptr_t region_end(const struct region *region)
{
	uintptr_t end = cells_end(region);

	return region->end && region->end < end ? region->end : end;
}

/* A boundary is where a region starts or ends; there is a span between any two neighbours, and one
 * at each side of them all. */
size_t region_spans_room(size_t count)
{
	return 2 * count + 1;
}

static void make_span(struct walk *walk, uintptr_t end, uint32_t region)
{
	walk->spans[walk->count++] = (struct region_span){walk->at, end, region};
	walk->at = end;
}

/* Make the spans up to the address TO, at which the next region starts. */
static void go_on(struct walk *walk, uintptr_t to)
{
	while (walk->at < to && walk->depth) {
		const struct region_span *top = &walk->open[walk->depth - 1];

		if (top->end <= walk->at)
			walk->depth--;
		else
			make_span(walk, top->end < to ? top->end : to, top->region);
	}
	if (walk->at < to && walk->fills_gaps)
		make_span(walk, to, walk->filler);
	walk->at = to;
}

/* By start; of those that start together the first region last, for it is to lie on top. */
static int compare_starts(const void *left, const void *right)
{
	const struct region_span *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->region > b->region ? -1 : a->region < b->region;
}

/* The regions as spans that overlap; the catch_all is none of them. */
static size_t list_extents(const struct region *regions, size_t count, struct region_span *extents,
			   struct walk *walk)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		const struct region *region = &regions[i];

		if (region->catch_all) {
			walk->fills_gaps |= region->count > 0;
			walk->filler = region->count ? (uint32_t)i : REGION_NONE;
			continue;
		}
		walk->fills_gaps |= region->end != 0;
		extents[used++] =
			(struct region_span){region->offset, region_end(region), (uint32_t)i};
	}
	return used;
}

int region_spans_make(const struct region *regions, size_t count, struct region_span *ret_spans,
		      size_t *ret_count)
{
	struct region_span *extents = reallocarray(NULL, count + 1, sizeof(*extents));
	struct walk walk = {.open = extents, .spans = ret_spans, .filler = REGION_NONE};
	size_t used;

	if (!extents)
		return -ENOMEM;
	used = list_extents(regions, count, extents, &walk);
	ARRAY_SORT(extents, used, compare_starts);
	for (size_t i = 0; i < used; i++) {
		struct region_span next = extents[i];

		go_on(&walk, next.start);
		/* The stack grows in the part of the list that has been read. */
		walk.open[walk.depth++] = next;
	}
	go_on(&walk, UINTPTR_MAX);
	*ret_count = walk.count;
	free(extents);
	return 0;
}
