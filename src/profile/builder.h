/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/keyset.h"
#include "base/trie.h"
#include "profile/profile.h"

/* The one way into a profile: engines, importers and merges hand over what they have, in any order
 * and as often as it comes.  Equal things become one, counts are added up, and all is put in an
 * order of its own by builder_settle(): so what is equal becomes equal files. */
struct builder {
	/* What has come so far, in the order in which it came: its facts and texts are the caller's
	 * to fill in, the rest is only read. */
	struct profile *profile;
	/* A file with a build-id is known by that alone: the path kept is the first in order, its
	 * identity one that all agree on.  Else mappings are one where all of them is equal. */
	bool by_build_id;

	/* Each thing's number among its keys is its index in the profile.  A text is a number
	 * already. */
	struct strings *mapping_texts; /* keys of mappings, as bytes; the index is the number - 1 */
	struct keyset functions, tasks, locations, values;
	struct trie contexts;
	struct strings *frame_texts; /* the lines of a location, as bytes; "": it has no names */
	uint32_t *frames;	     /* of each location, its number among them */
	size_t frames_capacity;
	/* With so many, equal ones are looked for and added up. */
	size_t cells_full, amounts_full, calls_full;
};

/* Returns 0 or -ENOMEM; in both cases builder_done() frees it, and a zeroed one, too. */
int builder_init(struct builder *builder);
void builder_done(struct builder *builder);

/* The number of what is equal, which is added if it is new.  Return 0 or -ENOMEM. */
int builder_mapping(struct builder *builder, const struct profile_mapping *mapping,
		    uint32_t *ret_number);
int builder_function(struct builder *builder, const struct profile_function *function,
		     uint32_t *ret_number);
int builder_task(struct builder *builder, const struct profile_task *task, uint32_t *ret_number);
int builder_value(struct builder *builder, const struct profile_value *value, uint32_t *ret_number);

/* LINES 1 to COUNT, the names of a location, as a number; LINES[0] is the builder's.  No lines are
 * 0. */
int builder_frames(struct builder *builder, struct profile_line *lines, uint32_t count,
		   uint32_t *ret_frames);

/* Of LOCATION kind, mapping and address count.  The mapping may be added later, where it has no
 * FRAMES.  An address of a file with a build-id, and what is no address, is one location whatever
 * it is called: the better names are kept.  Elsewhere it is one with equal names. */
int builder_location(struct builder *builder, const struct profile_location *location,
		     uint32_t frames, uint32_t *ret_number);

/* *RET_CONTEXT is its number and 1, as a cell or a context below it needs it; CONTEXT's parent was
 * added before.  Returns 0 or -ENOMEM. */
int builder_context(struct builder *builder, const struct profile_context *context,
		    uint32_t *ret_context);

/* Add counts, held at TICKS_MAX; CELL's may be of any value. */
int builder_cell(struct builder *builder, const struct profile_cell *cell);
int builder_call(struct builder *builder, const struct profile_call *call);

/* TICKS of no task at LOCATION, which has no names; none are no cell. */
int builder_ticks(struct builder *builder, const struct profile_location *location, uint64_t ticks);

/* All of it in order, as a profile of the caller's; BUILDER is used up.  Returns 0 or -ENOMEM. */
int builder_settle(struct builder *builder, struct profile **ret_profile);

/* The lines that FRAMES stands for; *RET_COUNT is how many. */
const struct profile_line *builder_lines(const struct builder *builder, uint32_t frames,
					 uint32_t *ret_count);
