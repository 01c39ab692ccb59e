// SPDX-License-Identifier: BSD-2-Clause
#include "profile/builder.h"

#include "base/array.h"
#include "profile/contexts.h"
#include "profile/counts.h"
#include "profile/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Below this many it is not worth it to look for equal cells before the end. */
#define FULL_LEAST 65536

int builder_init(struct builder *builder)
{
	*builder = (struct builder){
		.profile = profile_new(),
		.mapping_texts = strings_new(),
		.frame_texts = strings_new(),
		.cells_full = FULL_LEAST,
		.amounts_full = FULL_LEAST,
		.calls_full = FULL_LEAST,
	};
	return builder->profile && builder->mapping_texts && builder->frame_texts ? 0 : -ENOMEM;
}

void builder_done(struct builder *builder)
{
	profile_free(builder->profile);
	strings_free(builder->mapping_texts);
	strings_free(builder->frame_texts);
	keyset_done(&builder->functions);
	keyset_done(&builder->tasks);
	keyset_done(&builder->locations);
	trie_done(&builder->contexts);
	keyset_done(&builder->values);
	free(builder->frames);
	*builder = (struct builder){0};
}

/* ---- mappings, functions, tasks ---- */

/* What tells mappings apart, as bytes without gaps. */
struct mapping_key {
	uint64_t numbers[7];
	uint32_t class, build_id, note, path;
};

static struct mapping_key key_of(const struct builder *builder,
				 const struct profile_mapping *mapping)
{
	struct mapping_key key = {
		.numbers = {mapping->start, mapping->limit, mapping->offset},
		.class = mapping->class,
		.build_id = mapping->build_id,
		.note = mapping->note,
	};

	if (builder->by_build_id && mapping->build_id)
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

int builder_mapping(struct builder *builder, const struct profile_mapping *mapping,
		    uint32_t *ret_number)
{
	struct profile *profile = builder->profile;
	struct mapping_key key = key_of(builder, mapping);
	uint32_t number;

	if (strings_add(builder->mapping_texts, (const char *)&key, sizeof(key), &number))
		return -ENOMEM;
	*ret_number = number - 1;
	if (*ret_number == profile->mapping_count)
		return profile_add_mapping(profile, mapping, ret_number);
	agree_on_mapping(profile, &profile->mappings[*ret_number], mapping);
	return 0;
}

int builder_function(struct builder *builder, const struct profile_function *function,
		     uint32_t *ret_number)
{
	const struct key key = {{(uint64_t)function->name << 32 | function->system_name,
				 (uint64_t)function->file << 32 | function->start_line}};
	int ret = keyset_add(&builder->functions, &key, ret_number);

	return ret > 0 ? profile_add_function(builder->profile, function, ret_number) : ret;
}

int builder_task(struct builder *builder, const struct profile_task *task, uint32_t *ret_number)
{
	const struct key key = {{(uint64_t)task->pid << 32 | task->tid,
				 (uint64_t)task->name << 32 | task->cpu,
				 (uint64_t)task->title << 32 | task->cgroup}};
	int ret = keyset_add(&builder->tasks, &key, ret_number);

	return ret > 0 ? profile_add_task(builder->profile, task, ret_number) : ret;
}

int builder_value(struct builder *builder, const struct profile_value *value, uint32_t *ret_number)
{
	const struct key key = {{(uint64_t)value->type << 32 | value->unit}};
	int ret = keyset_add(&builder->values, &key, ret_number);

	return ret > 0 ? profile_add_value(builder->profile, value, ret_number) : ret;
}

/* ---- locations ---- */

/* The first line of a text of frames says how many follow. */
const struct profile_line *builder_lines(const struct builder *builder, uint32_t frames,
					 uint32_t *ret_count)
{
	const struct profile_line *lines = (const void *)strings_get(builder->frame_texts, frames);

	*ret_count = frames ? lines->line : 0;
	return lines + 1;
}

int builder_frames(struct builder *builder, struct profile_line *lines, uint32_t count,
		   uint32_t *ret_frames)
{
	*ret_frames = 0;
	if (!count)
		return 0;
	lines[0] = (struct profile_line){.line = count};
	return strings_add(builder->frame_texts, (const char *)lines,
			   ((size_t)count + 1) * sizeof(*lines), ret_frames);
}

/* Whether an address means the same code wherever it is met. */
static bool known_by_address(const struct profile *profile, const struct profile_location *location)
{
	const struct profile_mapping *mapping = &profile->mappings[location->mapping];

	if (location->kind != LOCATION_ADDRESS)
		return true;
	return mapping->build_id &&
	       (mapping->class == CLASS_PROGRAM || mapping->class == CLASS_LIBRARIES);
}

static bool has_name(const struct builder *builder, const struct profile_line *lines,
		     uint32_t count)
{
	return count && builder->profile->functions[lines->function].system_name;
}

/* A name is better than none, then more frames than fewer; then any rule will do that does not
 * depend on which came first. */
static void agree_on_frames(struct builder *builder, uint32_t *frames, uint32_t more)
{
	uint32_t count, more_count;
	const struct profile_line *lines = builder_lines(builder, *frames, &count);
	const struct profile_line *more_lines = builder_lines(builder, more, &more_count);
	bool named, more_named;

	if (*frames == more)
		return;
	named = has_name(builder, lines, count);
	more_named = has_name(builder, more_lines, more_count);
	if (named < more_named ||
	    (named == more_named &&
	     order_lines(builder->profile, lines, count, more_lines, more_count) < 0))
		*frames = more;
}

int builder_location(struct builder *builder, const struct profile_location *location,
		     uint32_t frames, uint32_t *ret_number)
{
	struct key key = {{(uint64_t)location->mapping << 32 | location->kind, location->address}};
	int ret;

	if (frames && !known_by_address(builder->profile, location))
		key.words[2] = frames;
	ret = keyset_add(&builder->locations, &key, ret_number);
	if (ret < 0)
		return ret;
	if (!ret) {
		agree_on_frames(builder, &builder->frames[*ret_number], frames);
		return 0;
	}
	if (ARRAY_RESERVE(builder->frames, builder->frames_capacity, builder->locations.count))
		return -ENOMEM;
	builder->frames[*ret_number] = frames;
	return profile_add_location(builder->profile, location, ret_number);
}

/* ---- contexts, cells and calls ---- */

int builder_context(struct builder *builder, const struct profile_context *context,
		    uint32_t *ret_context)
{
	return contexts_add(&builder->contexts, builder->profile, context, ret_context);
}

/* Room for as many again as there are of different ones, so that each is sorted a few times,
 * however many profiles are added up. */
static size_t full_at(size_t count)
{
	return count < FULL_LEAST / 2 ? FULL_LEAST : 2 * count;
}

int builder_cell(struct builder *builder, const struct profile_cell *cell)
{
	struct profile *profile = builder->profile;

	if (profile->cell_count >= builder->cells_full) {
		profile->cell_count = counts_add_cells(profile->cells, profile->cell_count);
		builder->cells_full = full_at(profile->cell_count);
	}
	if (profile->amount_count >= builder->amounts_full) {
		profile->amount_count = counts_add_cells(profile->amounts, profile->amount_count);
		builder->amounts_full = full_at(profile->amount_count);
	}
	return profile_add_cell(profile, cell);
}

int builder_call(struct builder *builder, const struct profile_call *call)
{
	struct profile *profile = builder->profile;

	if (profile->call_count >= builder->calls_full) {
		profile->call_count = counts_add_calls(profile->calls, profile->call_count);
		builder->calls_full = full_at(profile->call_count);
	}
	return profile_add_call(profile, call);
}

int builder_ticks(struct builder *builder, const struct profile_location *location, uint64_t ticks)
{
	struct profile_cell cell = {.task = PROFILE_NO_TASK, .ticks = ticks_add(ticks, 0)};
	int ret;

	if (!ticks)
		return 0;
	ret = builder_location(builder, location, /* frames= */ 0, &cell.location);
	return ret ? ret : builder_cell(builder, &cell);
}
