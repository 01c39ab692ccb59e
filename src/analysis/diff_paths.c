// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff_private.h"

#include "analysis/tree.h"
#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows by path: a sample is its stack's, from the outermost function to the one that it was in, so
 * that rows share out the samples as those by function do. */

/* One run's. */
struct path_run {
	size_t number;
	struct naming *naming;
	const struct profile *profile;
	uint32_t *frames;    /* of each location its frame and 1; 0: not found yet */
	uint32_t *stacks[2]; /* of each context its stack and 1; the second with callers unknown */
	uint32_t unknown;    /* the stack that says so, and 1 */
};

static int keep(struct differ *differ, const char *text, const char **ret_text)
{
	uint32_t id;

	if (strings_add(differ->diff->strings, text, strlen(text), &id))
		return -ENOMEM;
	*ret_text = strings_get(differ->diff->strings, id);
	return 0;
}

static int add_frame(struct differ *differ, const char *key, const char *name, uint32_t *ret_frame)
{
	struct diff_paths *paths = differ->diff->paths;
	uint32_t known;

	if (!paths->keys)
		paths->keys = strings_new();
	if (!paths->keys)
		return -ENOMEM;
	known = strings_count(paths->keys);
	if (strings_add(paths->keys, key, strlen(key), ret_frame) ||
	    ARRAY_RESERVE(paths->frames, paths->frame_capacity, *ret_frame + 1UL))
		return -ENOMEM;
	return *ret_frame < known && *ret_frame
		       ? 0
		       : keep(differ, name, &paths->frames[*ret_frame].name);
}

static int find_frame(struct differ *differ, struct path_run *run, uint32_t location,
		      uint32_t *ret_frame)
{
	const struct diff_object *object;
	struct diff_spot spot;
	char *key;
	int ret;

	*ret_frame = run->frames[location] - 1;
	if (run->frames[location])
		return 0;
	ret = diff_rows_spot(differ, run->number, location, run->naming, &object, &spot);
	if (ret < 0)
		return ret;
	ret = diff_rows_key(differ, object, &spot, &key);
	if (ret >= 0) {
		ret = add_frame(differ, key, spot.function, ret_frame);
		free(key);
	}
	if (ret >= 0) {
		differ->diff->paths->frames[*ret_frame].object =
			(uint32_t)(object - differ->objects.items);
		differ->diff->paths->frames[*ret_frame].bare = spot.bare;
	}
	free(spot.owned);
	run->frames[location] = *ret_frame + 1;
	return ret;
}

/* *STACK, a number and 1 or 0 for none, with FRAME called by it. */
static int push(struct diff_paths *paths, uint32_t frame, uint32_t *stack)
{
	int ret;

	if (*stack && paths->stacks.nodes[*stack].label == frame)
		return 0;
	ret = trie_add(&paths->stacks, *stack, frame, stack);
	return ret < 0 ? ret : 0;
}

static int find_contexts(struct differ *differ, struct path_run *run, bool cut)
{
	uint32_t *stacks = run->stacks[cut];
	int ret = 0;

	for (size_t i = 0; i < run->profile->context_count && ret >= 0; i++) {
		const struct profile_context *call = &run->profile->contexts[i];
		uint32_t frame;

		stacks[i] = call->parent ? stacks[call->parent - 1] : cut ? run->unknown : 0;
		ret = find_frame(differ, run, call->location, &frame);
		if (ret >= 0)
			ret = push(differ->diff->paths, frame, &stacks[i]);
	}
	return ret;
}

static const char *name_of(const struct diff_paths *paths, uint32_t stack)
{
	return paths->frames[paths->stacks.nodes[stack].label].name;
}

/* The names of STACK: outermost first, or innermost first; each behind the other and MARK.  Heap;
 * NULL: memory is short. */
static char *join(const struct diff_paths *paths, uint32_t stack, bool outermost, const char *mark)
{
	size_t mark_size = strlen(mark), size = 0, at;
	char *text;

	for (uint32_t i = stack; i; i = paths->stacks.nodes[i].parent)
		size += strlen(name_of(paths, i)) + mark_size;
	text = malloc(size + 1);
	if (!text)
		return NULL;
	at = outermost ? size : 0;
	for (uint32_t i = stack; i; i = paths->stacks.nodes[i].parent) {
		const char *name = name_of(paths, i);
		size_t length = strlen(name);

		at -= outermost ? length + mark_size : 0;
		memcpy(text + at, name, length);
		memcpy(text + at + length, mark, mark_size);
		at += outermost ? 0 : length + mark_size;
	}
	text[size ? size - mark_size : 0] = '\0';
	return text;
}

char *diff_callers(const struct diff *diff, const struct diff_row *row)
{
	return row->number ? join(diff->paths, diff->paths->stacks.nodes[row->number].parent,
				  /* outermost= */ false, " < ")
			   : NULL;
}

static int name_stack(struct differ *differ, uint32_t stack, struct diff_row *row)
{
	char *text = join(differ->diff->paths, stack, /* outermost= */ true, ";");
	int ret = text ? keep(differ, text, &row->stack) : -ENOMEM;

	free(text);
	row->number = stack;
	return ret;
}

static int charge_row(struct differ *differ, size_t run, const struct diff_object *object,
		      const struct diff_spot *spot, uint32_t stack, uint64_t ticks)
{
	enum diff_side side;
	char key[32];
	uint32_t row;
	int ret;

	(void)differ_run(differ, run, &side);
	(void)snprintf(key, sizeof(key), "%u", stack);
	ret = diff_rows_find(differ, side, object, spot, key, &row);
	if (ret >= 0 && !differ->diff->rows[row].stack)
		ret = name_stack(differ, stack, &differ->diff->rows[row]);
	if (ret < 0)
		return ret;
	differ->diff->rows[row].name = differ->diff->rows[row].stack;
	diff_rows_charge(differ, run, row, ticks);
	return 0;
}

static int charge_stack(struct differ *differ, size_t run, uint32_t stack, uint64_t ticks)
{
	struct diff_paths *paths = differ->diff->paths;
	size_t place = (stack - 1UL) * differ->run_count + run;

	if (ARRAY_RESERVE(paths->ticks, paths->ticks_capacity, stack * differ->run_count))
		return -ENOMEM;
	paths->ticks[place] = ticks_add(paths->ticks[place], ticks);
	return 0;
}

static int charge(struct differ *differ, const struct path_run *run, uint32_t location,
		  uint32_t stack, uint64_t ticks)
{
	const struct diff_object *object;
	struct diff_spot spot;
	int ret = diff_rows_spot(differ, run->number, location, run->naming, &object, &spot);

	if (ret < 0)
		return ret;
	if (diff_rows_wanted(differ, object, &spot))
		ret = differ->diff->by_frame
			      ? charge_stack(differ, run->number, stack, ticks)
			      : charge_row(differ, run->number, object, &spot, stack, ticks);
	free(spot.owned);
	return ret;
}

static int add_cells(struct differ *differ, struct path_run *run)
{
	uint64_t *total = &differ->run_ticks[run->number];
	int ret = 0;

	for (size_t i = 0; i < run->profile->cell_count && ret >= 0; i++) {
		const struct profile_cell *cell = &run->profile->cells[i];
		bool cut = tree_is_cut(run->profile, cell);
		uint32_t stack = cut ? run->unknown : 0, frame;

		if (!cell->ticks)
			continue;
		*total = ticks_add(*total, cell->ticks);
		if (cell->context)
			stack = run->stacks[cut][cell->context - 1];
		ret = find_frame(differ, run, cell->location, &frame);
		if (ret >= 0)
			ret = push(differ->diff->paths, frame, &stack);
		if (ret >= 0)
			ret = charge(differ, run, cell->location, stack, cell->ticks);
	}
	return ret;
}

int diff_paths_add(struct differ *differ, size_t run, struct naming *naming)
{
	enum diff_side side;
	const struct profile *profile = differ_run(differ, run, &side);
	struct path_run it = {
		.number = run,
		.naming = naming,
		.profile = profile,
		.frames = calloc(profile->location_count + 1, sizeof(*it.frames)),
		.stacks = {calloc(profile->context_count + 1, sizeof(**it.stacks)),
			   calloc(profile->context_count + 1, sizeof(**it.stacks))},
	};
	uint32_t frame;
	int ret = it.frames && it.stacks[0] && it.stacks[1] ? 0 : -ENOMEM;

	if (ret >= 0)
		ret = add_frame(differ, "", "[truncated]", &frame);
	if (ret >= 0)
		ret = push(differ->diff->paths, frame, &it.unknown);
	if (ret >= 0)
		ret = find_contexts(differ, &it, /* cut= */ false);
	if (ret >= 0)
		ret = find_contexts(differ, &it, /* cut= */ true);
	if (ret >= 0)
		ret = add_cells(differ, &it);
	free(it.frames);
	free(it.stacks[0]);
	free(it.stacks[1]);
	return ret;
}

void diff_paths_free(struct diff_paths *paths)
{
	if (!paths)
		return;
	strings_free(paths->keys);
	free(paths->frames);
	free(paths->ticks);
	trie_done(&paths->stacks);
	free(paths);
}
