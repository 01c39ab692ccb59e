/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/diff.h"
#include "base/keyset.h"

#include <stdbool.h>

/* The files of both sides of a diff, and which of them are one: first those of one build-id, then
 * those that stood at one path, then those that are left over on each side and have one name but
 * for the version, and at last the program, whatever it is called. */

struct diff_object {
	uint32_t build_id, path; /* strings; of memory of no file, the path is without the pid */
	enum profile_class class;
	bool seen[DIFF_SIDES];
	uint32_t same; /* the first that is one with it */
};

struct diff_objects {
	struct strings *strings; /* not its own */
	struct diff_object *items;
	size_t count, capacity;
	struct keyset keys;
};

/* Add the mappings of PROFILE.  *RET_NUMBERS is the object of each, heap.  Returns 0 or -ENOMEM. */
int diff_objects_add(struct diff_objects *objects, const struct profile *profile,
		     enum diff_side side, uint32_t **ret_numbers);

/* Find which are one, when all are there. */
void diff_objects_match(struct diff_objects *objects);

void diff_objects_done(struct diff_objects *objects);
