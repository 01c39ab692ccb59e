// SPDX-License-Identifier: BSD-2-Clause
#include "engine/kernel/object/pages.h"

#include "engine/kernel/object/count.h"
#include "engine/kernel/object/maps.h"
#include "engine/inside/space.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

/* ------------------------------------------------------------------ asking */

struct check {
	const struct extents *extents;
	size_t index;
	uintptr_t at; /* all below is in order */
	const char *why;
};

static uintptr_t end_of(const struct extent *extent)
{
	return extent->start + extent->length;
}

static bool begin_extent(struct check *check)
{
	if (check->index == check->extents->count)
		return false;
	check->at = check->extents->list[check->index].start;
	return true;
}

/* Both rise: go on through the extents as far as MAPPING reaches. */
static int check_mapping(void *context, const struct mapping *mapping)
{
	struct check *check = context;

	while (check->at < mapping->end) {
		uintptr_t end = end_of(&check->extents->list[check->index]);

		if (check->at < mapping->start)
			check->why = "not mapped";
		else if (!mapping->plain)
			check->why = "shared, of a file, or the stack";
		else if (mapping->protection != (PROT_READ | PROT_WRITE))
			check->why = "not readable and writable, or executable";
		if (check->why)
			return -EFAULT;
		check->at = end < mapping->end ? end : mapping->end;
		if (check->at == end) {
			check->index++;
			if (!begin_extent(check))
				return 1;
		}
	}
	return 0;
}

int pages_check(const struct extents *extents, struct error *reterr)
{
	struct check check = {.extents = extents};
	int ret;

	if (!begin_extent(&check))
		return 0;
	ret = maps_walk(check_mapping, &check);
	if (ret == 1)
		return 0;
	if (ret && ret != -EFAULT)
		return error_set(reterr, ret,
				 "kernel engine: cannot read /proc/self/maps: %s: mount /proc",
				 strerror(-ret));
	return error_set(reterr, -EFAULT,
			 "kernel engine: the buffer at %#" PRIxPTR " is %s: take private anonymous "
			 "memory",
			 check.at, check.why ? check.why : "not mapped");
}

/* ------------------------------------------------------------------ lending */

/* Move the pages at ASIDE to START, over what is there.  HOW: 0, or MREMAP_DONTUNMAP. */
static int move_over(void *aside, size_t length, uintptr_t start, int how)
{
	how |= MREMAP_MAYMOVE | MREMAP_FIXED;
	return mremap(aside, length, length, how, (void *)start) == MAP_FAILED ? -errno : 0;
}

int pages_lend(const struct extents *extents, int map_fd, void *area)
{
	int ret = 0;

	for (size_t i = 0; i < extents->count && !ret; i++) {
		const struct extent *extent = &extents->list[i];
		void *aside = mmap(NULL, extent->length, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd,
				   (off_t)extent->place);

		if (aside == MAP_FAILED)
			return -errno;
		memcpy((char *)area + extent->place, (void *)extent->start, extent->length);
		ret = move_over(aside, extent->length, extent->start, /* how= */ 0);
		if (ret)
			munmap(aside, extent->length);
	}
	return ret;
}

/* ------------------------------------------------------------------ giving back */

struct part {
	struct extent extent;
	int protection;
};

struct parts {
	const struct extents *extents;
	size_t index;	    /* the first extent that may still have parts */
	struct space space; /* of struct part */
	size_t count;
};

static struct part *part_at(const struct parts *parts, size_t index)
{
	return (struct part *)parts->space.start + index;
}

static int add_part(struct parts *parts, uintptr_t start, uintptr_t end, size_t place,
		    int protection)
{
	int ret = space_reserve(&parts->space, (parts->count + 1) * sizeof(struct part));

	if (ret)
		return ret;
	*part_at(parts, parts->count++) = (struct part){{start, end - start, place}, protection};
	return 0;
}

/* Both rise; a mapping that the program has cut in pieces gives one part each. */
static int find_parts(void *context, const struct mapping *mapping)
{
	struct parts *parts = context;
	int ret = 0;

	while (parts->index < parts->extents->count && !ret) {
		const struct extent *extent = &parts->extents->list[parts->index];
		uintptr_t end = end_of(extent), from = extent->start, to = end;
		size_t place;

		if (from < mapping->start)
			from = mapping->start;
		if (to > mapping->end)
			to = mapping->end;
		place = extent->place + (from - extent->start);
		if (mapping->lent && from < to &&
		    mapping->offset + (from - mapping->start) == place)
			ret = add_part(parts, from, to, place, mapping->protection);
		if (end > mapping->end)
			break;
		parts->index++;
	}
	return ret;
}

void pages_copy(char *target, const char *source, size_t size)
{
	for (size_t at = 0; at < size; at += COUNT_PAGE)
		if (memcmp(target + at, source + at, COUNT_PAGE) != 0)
			memcpy(target + at, source + at, COUNT_PAGE);
}

/* The place that the pages leave stays taken until all is unmapped in one step: else another
 * thread's mapping might come to lie there before. */
static int return_part(const struct part *part, char *aside)
{
	size_t length = part->extent.length;
	char *own = aside + part->extent.place;

	if (part->protection != (PROT_READ | PROT_WRITE) && mprotect(own, length, part->protection))
		return -errno;
	return move_over(own, length, part->extent.start, MREMAP_DONTUNMAP);
}

int pages_return(const struct extents *extents, char *aside)
{
	struct parts parts = {.extents = extents};
	int ret = maps_walk(find_parts, &parts);

	for (size_t i = 0; i < parts.count; i++) {
		int failed = return_part(part_at(&parts, i), aside);

		ret = ret ? ret : failed;
	}
	space_done(&parts.space);
	munmap(aside, extents->size);
	return ret;
}
