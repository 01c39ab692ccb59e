/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/keyset.h"
#include "profile/merge.h"

/* What the parts of a merge share.  Each thing of the sum has a key by which it is found again; its
 * number among the keys is its index in the sum.  A text is a number already. */
struct merge {
	struct profile *sum;
	bool begun;		       /* a profile was added: the facts are some */
	struct strings *mapping_texts; /* keys of mappings, as bytes; the index is the number - 1 */
	struct keyset functions, tasks, locations, cells, calls;
	struct strings *frame_texts; /* the lines of a location, as bytes; "": it has no names */
	uint32_t *frames;	     /* of each location, its number among them */
	size_t frames_capacity;
};

/* The lines of a location, by their number in frame_texts; *RET_COUNT is how many. */
const struct profile_line *merge_lines(const struct merge *merge, uint32_t frames,
				       uint32_t *ret_count);

/* Whether PROFILE's ticks may be added to the others, -EINVAL with a sentence when not; and add its
 * facts, whose texts are already the sum's. */
int merge_facts_check(const struct merge *merge, const struct profile *profile, const char *name,
		      struct error *reterr);
int merge_facts_add(struct merge *merge, const struct profile_facts *facts);
