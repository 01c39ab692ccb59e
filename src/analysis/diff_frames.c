// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff_private.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows by frame: all stacks are one tree of calls, of which each node is a row with the samples of
 * all below it.  A stack's number is above its callers'. */

struct frames {
	struct differ *differ;
	uint32_t count;
	uint32_t *depths; /* of each stack */
	uint32_t *order;  /* stacks by depth */
	uint32_t *rows;	  /* of each stack its row and 1; 0: it has no samples */
};

/* The number of STACK's callers and 1, or 0. */
static uint32_t callers_of(const struct differ *differ, uint32_t stack)
{
	return differ->diff->paths->stacks.nodes[stack + 1].parent;
}

static void add_up(struct frames *frames)
{
	struct differ *differ = frames->differ;
	size_t runs = differ->run_count;
	uint64_t *ticks = differ->diff->paths->ticks;

	for (uint32_t stack = frames->count; stack--;) {
		uint32_t callers = callers_of(differ, stack);

		for (size_t run = 0; callers && run < runs; run++) {
			uint64_t *sum = &ticks[(callers - 1) * runs + run];

			*sum = ticks_add(*sum, ticks[stack * runs + run]);
		}
	}
}

static int compare_depths(const void *left, const void *right, void *context)
{
	const uint32_t *depths = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	ARRAY_COMPARE(depths[a], depths[b]);
	ARRAY_COMPARE(a, b);
	return 0;
}

static void put_in_order(struct frames *frames)
{
	for (uint32_t stack = 0; stack < frames->count; stack++) {
		uint32_t callers = callers_of(frames->differ, stack);

		frames->order[stack] = stack;
		frames->depths[stack] = callers ? frames->depths[callers - 1] + 1 : 0;
	}
	ARRAY_SORT_BY(frames->order, frames->count, compare_depths, frames->depths);
}

/* Who called what is below a stack that was cut is in no file. */
static int describe(struct differ *differ, uint32_t stack, enum diff_side side, uint32_t *ret_row)
{
	static const struct diff_object none = {.class = CLASS_UNRESOLVED};
	uint32_t number = (uint32_t)differ->diff->paths->stacks.nodes[stack + 1].label;
	const struct diff_frame *frame = &differ->diff->paths->frames[number];
	const struct diff_spot spot = {.function = frame->name, .file = "", .bare = frame->bare};
	char key[32];

	(void)snprintf(key, sizeof(key), "%u", stack);
	return diff_rows_find(differ, side, number ? &differ->objects.items[frame->object] : &none,
			      &spot, key, ret_row);
}

static int add_row(struct frames *frames, uint32_t stack)
{
	struct differ *differ = frames->differ;
	const uint64_t *ticks = &differ->diff->paths->ticks[stack * differ->run_count];
	uint32_t callers = callers_of(differ, stack), row;
	struct diff_row *made;
	size_t last = differ->run_count;
	enum diff_side side;
	int ret;

	while (last && !ticks[last - 1])
		last--;
	if (!last)
		return 0;
	/* It is called what it is called after, where it is there after. */
	(void)differ_run(differ, last - 1, &side);
	ret = describe(differ, stack, side, &row);
	if (ret < 0)
		return ret;
	for (size_t run = 0; run < differ->run_count; run++)
		diff_rows_charge(differ, run, row, ticks[run]);
	made = &differ->diff->rows[row];
	made->depth = frames->depths[stack];
	made->parent = callers ? frames->rows[callers - 1] : 0;
	frames->rows[stack] = row + 1;
	return 0;
}

int diff_frames_build(struct differ *differ)
{
	struct diff_paths *paths = differ->diff->paths;
	uint32_t count = (uint32_t)paths->stacks.count;
	uint32_t *room = calloc(3 * ((size_t)count + 1), sizeof(*room));
	struct frames frames = {differ, count, room, room + count, room + 2 * (size_t)count};
	int ret = room && !ARRAY_RESERVE(paths->ticks, paths->ticks_capacity,
					 (count + 1UL) * differ->run_count)
			  ? 0
			  : -ENOMEM;

	if (ret >= 0) {
		add_up(&frames);
		put_in_order(&frames);
	}
	for (uint32_t i = 0; i < count && ret >= 0; i++)
		ret = add_row(&frames, frames.order[i]);
	free(room);
	return ret;
}
