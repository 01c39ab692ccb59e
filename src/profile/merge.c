// SPDX-License-Identifier: BSD-2-Clause
#include "profile/merge_private.h"

#include "base/array.h"
#include "profile/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOT_YET UINT32_MAX

/* One profile on its way into the sum: of each of its things the sum's number, found when it is
 * first needed. */
struct adding {
	struct merge *merge;
	const struct profile *from;
	uint32_t *texts, *mappings, *locations, *tasks;
};

struct merge *merge_new(void)
{
	struct merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return NULL;
	merge->sum = profile_new();
	merge->mapping_texts = strings_new();
	merge->frame_texts = strings_new();
	if (merge->sum && merge->mapping_texts && merge->frame_texts)
		return merge;
	return merge_free(merge);
}

struct merge *merge_free(struct merge *merge)
{
	if (!merge)
		return NULL;
	profile_free(merge->sum);
	strings_free(merge->mapping_texts);
	strings_free(merge->frame_texts);
	keyset_done(&merge->functions);
	keyset_done(&merge->tasks);
	keyset_done(&merge->locations);
	keyset_done(&merge->cells);
	keyset_done(&merge->calls);
	free(merge->frames);
	free(merge);
	return NULL;
}

/* The first line of a text of frames says how many follow. */
const struct profile_line *merge_lines(const struct merge *merge, uint32_t frames,
				       uint32_t *ret_count)
{
	const struct profile_line *lines = (const void *)strings_get(merge->frame_texts, frames);

	*ret_count = frames ? lines->line : 0;
	return lines + 1;
}

static int add_text(struct adding *adding, uint32_t id, uint32_t *ret_id)
{
	uint32_t *known = &adding->texts[id];
	int ret = 0;

	if (id && !*known)
		ret = profile_string(adding->merge->sum, profile_text(adding->from, id), known);
	*ret_id = *known;
	return ret;
}

/* ---- mappings ---- */

/* What tells mappings apart, as bytes without gaps. */
struct mapping_key {
	uint64_t numbers[7];
	uint32_t class, build_id, note, path;
};

static struct mapping_key key_of(const struct profile_mapping *mapping)
{
	struct mapping_key key = {
		.numbers = {mapping->start, mapping->limit, mapping->offset},
		.class = mapping->class,
		.build_id = mapping->build_id,
		.note = mapping->note,
	};

	if (mapping->build_id)
		return key;
	key.path = mapping->path;
	key.numbers[3] = mapping->identity.device;
	key.numbers[4] = mapping->identity.inode;
	key.numbers[5] = mapping->identity.generation;
	key.numbers[6] = (uint64_t)mapping->identity.mtime_ns;
	return key;
}

static bool same_identity(const struct file_identity *left, const struct file_identity *right)
{
	return left->device == right->device && left->inode == right->inode &&
	       left->generation == right->generation && left->mtime_ns == right->mtime_ns;
}

/* MORE is another mapping of the same key. */
static void agree_on_mapping(const struct profile *sum, struct profile_mapping *mapping,
			     const struct profile_mapping *more)
{
	if (strcmp(profile_text(sum, more->path), profile_text(sum, mapping->path)) < 0)
		mapping->path = more->path;
	if (!same_identity(&mapping->identity, &more->identity))
		mapping->identity = (struct file_identity){0};
}

static int add_mapping(struct adding *adding, uint32_t index)
{
	struct merge *merge = adding->merge;
	struct profile_mapping mapping = adding->from->mappings[index];
	struct mapping_key key;
	uint32_t number;

	mapping.root = 0;
	if (add_text(adding, mapping.path, &mapping.path) ||
	    add_text(adding, mapping.build_id, &mapping.build_id) ||
	    add_text(adding, mapping.note, &mapping.note))
		return -ENOMEM;
	key = key_of(&mapping);
	if (strings_add(merge->mapping_texts, (const char *)&key, sizeof(key), &number))
		return -ENOMEM;
	adding->mappings[index] = --number;
	if (number == merge->sum->mapping_count)
		return profile_add_mapping(merge->sum, &mapping, &number);
	agree_on_mapping(merge->sum, &merge->sum->mappings[number], &mapping);
	return 0;
}

/* ---- functions and lines ---- */

static int add_function(struct adding *adding, uint32_t index, uint32_t *ret_function)
{
	struct merge *merge = adding->merge;
	struct profile_function function = adding->from->functions[index];
	struct key key;
	int ret;

	if (add_text(adding, function.name, &function.name) ||
	    add_text(adding, function.system_name, &function.system_name) ||
	    add_text(adding, function.file, &function.file))
		return -ENOMEM;
	key = (struct key){{(uint64_t)function.name << 32 | function.system_name,
			    (uint64_t)function.file << 32 | function.start_line}};
	ret = keyset_add(&merge->functions, &key, ret_function);
	return ret > 0 ? profile_add_function(merge->sum, &function, ret_function) : ret;
}

/* The lines of LOCATION as a number: 0 for none. */
static int add_frames(struct adding *adding, const struct profile_location *location,
		      uint32_t *ret_frames)
{
	size_t count = location->line_count;
	struct profile_line *lines = NULL;
	int ret = 0;

	*ret_frames = 0;
	if (!count)
		return 0;
	lines = calloc(count + 1, sizeof(*lines));
	if (!lines)
		return -ENOMEM;
	lines[0].line = location->line_count;
	for (size_t i = 0; !ret && i < count; i++) {
		const struct profile_line *from;

		from = &adding->from->lines[location->first_line + i];
		lines[i + 1].line = from->line;
		ret = add_function(adding, from->function, &lines[i + 1].function);
	}
	if (!ret)
		ret = strings_add(adding->merge->frame_texts, (const char *)lines,
				  (count + 1) * sizeof(*lines), ret_frames);
	free(lines);
	return ret;
}

/* ---- locations ---- */

/* Whether an address means the same code wherever it is met. */
static bool known_by_address(const struct profile *sum, const struct profile_location *location)
{
	const struct profile_mapping *mapping = &sum->mappings[location->mapping];

	if (location->kind != LOCATION_ADDRESS)
		return true;
	return mapping->build_id &&
	       (mapping->class == CLASS_PROGRAM || mapping->class == CLASS_LIBRARIES);
}

/* "libx.so+0x1234" is no name, but says where one is missing. */
static bool has_name(const struct merge *merge, const struct profile_line *lines, uint32_t count)
{
	const struct profile *sum = merge->sum;

	return count && !strstr(profile_text(sum, sum->functions[lines->function].name), "+0x");
}

/* A name is better than none, then more frames than fewer; then any rule will do that does not
 * depend on which came first. */
static void agree_on_frames(struct merge *merge, uint32_t *frames, uint32_t more)
{
	uint32_t count, more_count;
	const struct profile_line *lines = merge_lines(merge, *frames, &count);
	const struct profile_line *more_lines = merge_lines(merge, more, &more_count);
	bool named, more_named;

	if (*frames == more)
		return;
	named = has_name(merge, lines, count);
	more_named = has_name(merge, more_lines, more_count);
	if (named < more_named || (named == more_named && order_lines(merge->sum, lines, count,
								      more_lines, more_count) < 0))
		*frames = more;
}

/* Find LOCATION, whose numbers are the sum's, or add it. */
static int find_location(struct merge *merge, const struct profile_location *location,
			 uint32_t frames, uint32_t *ret_index)
{
	struct key key = {{(uint64_t)location->mapping << 32 | location->kind, location->address}};
	int ret;

	if (!known_by_address(merge->sum, location))
		key.words[2] = frames;
	ret = keyset_add(&merge->locations, &key, ret_index);
	if (ret < 0)
		return ret;
	if (!ret) {
		agree_on_frames(merge, &merge->frames[*ret_index], frames);
		return 0;
	}
	if (ARRAY_RESERVE(merge->frames, merge->frames_capacity, merge->locations.count))
		return -ENOMEM;
	merge->frames[*ret_index] = frames;
	return profile_add_location(merge->sum, location, ret_index);
}

static int add_location(struct adding *adding, uint32_t index)
{
	const struct profile_location *from = &adding->from->locations[index];
	struct profile_location location = {.kind = from->kind, .address = from->address};
	uint32_t frames;
	int ret = 0;

	if (adding->mappings[from->mapping] == NOT_YET)
		ret = add_mapping(adding, from->mapping);
	ret = ret ? ret : add_frames(adding, from, &frames);
	if (ret)
		return ret;
	location.mapping = adding->mappings[from->mapping];
	return find_location(adding->merge, &location, frames, &adding->locations[index]);
}

/* The sum's number of the location INDEX. */
static int use_location(struct adding *adding, uint32_t index, uint32_t *ret_index)
{
	int ret = adding->locations[index] == NOT_YET ? add_location(adding, index) : 0;

	*ret_index = adding->locations[index];
	return ret;
}

/* ---- tasks and cells ---- */

static int add_task(struct adding *adding, uint32_t index)
{
	struct merge *merge = adding->merge;
	struct profile_task task = adding->from->tasks[index];
	struct key key;
	int ret;

	if (add_text(adding, task.name, &task.name) || add_text(adding, task.cgroup, &task.cgroup))
		return -ENOMEM;
	key = (struct key){{(uint64_t)task.pid << 32 | task.tid,
			    (uint64_t)task.name << 32 | task.cpu, task.cgroup}};
	ret = keyset_add(&merge->tasks, &key, &adding->tasks[index]);
	return ret > 0 ? profile_add_task(merge->sum, &task, &adding->tasks[index]) : ret;
}

/* A cell without ticks says nothing, and nothing is kept of it. */
static int add_cell(struct adding *adding, const struct profile_cell *from)
{
	struct merge *merge = adding->merge;
	struct profile_cell cell = {.task = PROFILE_NO_TASK, .ticks = ticks_add(from->ticks, 0)};
	struct key key;
	uint32_t number;
	int ret;

	if (!from->ticks)
		return 0;
	ret = use_location(adding, from->location, &cell.location);
	if (!ret && from->task != PROFILE_NO_TASK && adding->tasks[from->task] == NOT_YET)
		ret = add_task(adding, from->task);
	if (ret)
		return ret;
	if (from->task != PROFILE_NO_TASK)
		cell.task = adding->tasks[from->task];
	key = (struct key){{cell.location, cell.task}};
	ret = keyset_add(&merge->cells, &key, &number);
	if (ret > 0)
		return profile_add_cell(merge->sum, &cell);
	if (!ret)
		merge->sum->cells[number].ticks =
			ticks_add(merge->sum->cells[number].ticks, cell.ticks);
	return ret;
}

/* ---- calls ---- */

static int add_call(struct adding *adding, const struct profile_call *from)
{
	struct merge *merge = adding->merge;
	struct profile_call call = {.caller = PROFILE_NO_CALLER,
				    .count = ticks_add(from->count, 0)};
	struct key key;
	uint32_t number;
	int ret;

	if (!from->count)
		return 0;
	ret = use_location(adding, from->callee, &call.callee);
	if (!ret && from->caller != PROFILE_NO_CALLER)
		ret = use_location(adding, from->caller, &call.caller);
	if (ret)
		return ret;
	key = (struct key){{call.callee, call.caller}};
	ret = keyset_add(&merge->calls, &key, &number);
	if (ret > 0)
		return profile_add_call(merge->sum, &call);
	if (!ret)
		merge->sum->calls[number].count =
			ticks_add(merge->sum->calls[number].count, call.count);
	return ret;
}

/* ---- a whole profile ---- */

static uint32_t *numbers(size_t count)
{
	uint32_t *array = malloc((count + 1) * sizeof(*array));

	if (array)
		memset(array, 0xff, (count + 1) * sizeof(*array));
	return array;
}

static int add_all(struct adding *adding)
{
	struct profile_facts facts = adding->from->facts;
	uint32_t *const texts[] = {&facts.command, &facts.engine, &facts.event, &facts.clock,
				   &facts.system};
	int ret = 0;

	/* Programs are kept without ticks, too: one of them is the main one. */
	for (uint32_t i = 0; !ret && i < adding->from->mapping_count; i++)
		if (adding->from->mappings[i].class == CLASS_PROGRAM)
			ret = add_mapping(adding, i);
	for (size_t i = 0; !ret && i < adding->from->cell_count; i++)
		ret = add_cell(adding, &adding->from->cells[i]);
	for (size_t i = 0; !ret && i < adding->from->call_count; i++)
		ret = add_call(adding, &adding->from->calls[i]);
	for (size_t i = 0; !ret && i < ARRAY_LENGTH(texts); i++)
		ret = add_text(adding, *texts[i], texts[i]);
	return ret ? ret : merge_facts_add(adding->merge, &facts);
}

int merge_add(struct merge *merge, const struct profile *profile, const char *name,
	      struct error *reterr)
{
	struct adding adding = {.merge = merge, .from = profile};
	int ret = merge_facts_check(merge, profile, name, reterr);

	if (ret)
		return ret;
	merge->sum->is_private |= profile->is_private;
	adding.texts = calloc(strings_count(profile->strings) + 1, sizeof(*adding.texts));
	adding.mappings = numbers(profile->mapping_count);
	adding.locations = numbers(profile->location_count);
	adding.tasks = numbers(profile->task_count);
	ret = -ENOMEM;
	if (adding.texts && adding.mappings && adding.locations && adding.tasks)
		ret = add_all(&adding);
	free(adding.texts);
	free(adding.mappings);
	free(adding.locations);
	free(adding.tasks);
	return ret;
}
