// SPDX-License-Identifier: BSD-2-Clause
#include "engine/kernel/object/extents.h"

#include "base/array.h"
#include "histogram/region_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int compare_starts(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* The cells of each region; what goes round the end of memory is left too long to be in order. */
static size_t list_cells(const struct region_table *table, struct extent *list)
{
	size_t used = 0;

	for (size_t i = 0; i < table->region_count; i++) {
		const struct region *region = &table->regions[i];
		struct extent extent = {.start = (uintptr_t)region->cells};

		if (!region->count)
			continue;
		if (__builtin_mul_overflow(region->count, region->width, &extent.length) ||
		    extent.length > UINTPTR_MAX - extent.start)
			extent.length = UINTPTR_MAX - extent.start;
		list[used++] = extent;
	}
	return used;
}

static size_t merge(struct extent *list, size_t count)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		struct extent *last = used ? &list[used - 1] : NULL;
		uintptr_t end = list[i].start + list[i].length;

		if (!last || list[i].start > last->start + last->length)
			list[used++] = list[i];
		else if (end > last->start + last->length)
			last->length = end - last->start;
	}
	return used;
}

/* Give each its place; all must be of whole pages. */
static int lay_out(struct extents *extents, struct error *reterr)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < extents->count; i++) {
		struct extent *extent = &extents->list[i];

		if (extent->start % page || extent->length % page)
			return error_set(reterr, -EINVAL,
					 "kernel engine: the buffer of %zu bytes at %#zx is not of "
					 "whole pages: align it and its size to %zu bytes",
					 extent->length, (size_t)extent->start, page);
		extent->place = extents->size;
		extents->size += extent->length;
	}
	return 0;
}

int extents_make(const struct region_table *table, struct extents *ret_extents,
		 struct error *reterr)
{
	struct extents extents = {};
	int ret;

	extents.list = reallocarray(NULL, table->region_count + 1, sizeof(*extents.list));
	if (!extents.list)
		return error_set(reterr, -ENOMEM, "kernel engine: out of memory: free some");
	extents.count = list_cells(table, extents.list);
	ARRAY_SORT(extents.list, extents.count, compare_starts);
	extents.count = merge(extents.list, extents.count);
	ret = lay_out(&extents, reterr);
	if (ret) {
		extents_done(&extents);
		return ret;
	}
	*ret_extents = extents;
	return 0;
}

size_t extents_place(const struct extents *extents, const void *cells)
{
	size_t behind =
		ARRAY_FIRST_NOT(i, extents->count, extents->list[i].start <= (uintptr_t)cells);
	const struct extent *extent = &extents->list[behind ? behind - 1 : 0];

	return extent->place + ((uintptr_t)cells - extent->start);
}

void extents_done(struct extents *extents)
{
	free(extents->list);
	memset(extents, 0, sizeof(*extents));
}
