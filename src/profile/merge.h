/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* The exact sum of profiles, taken in one after the other: each can be freed at once, and what is
 * kept is what the sum has.  The sum is the same, byte for byte once it is written, in whatever
 * order profiles are taken in, and whether they come themselves or as sums of some of them.
 *
 * What is one thing in two profiles:
 * - A file with a build-id is known by that, whatever its path or the machine; the path kept is the
 *   first in order, the file's inode only one that all agree on.  One without is known by path and
 *   inode.  Two segments of a file, or a changed file, stay apart.
 * - An address of a file with a build-id is the same code; of two lots of names the more detailed
 *   is kept.  Elsewhere (the kernel, the vdso, memory of no file) addresses of two runs are the
 *   same code when their names are the same, too.
 * - A task is its process's and thread's numbers and its name, its CPU and control group.
 * - A call is its function's place and its caller's.
 * Ticks and calls are held at TICKS_MAX.  Facts: what is a sum is added up and is unknown once one
 * is unknown; a text that differs is "", a command line is cut behind the last word that all have.
 */
struct merge;

/* NULL when memory is short.  merge_free() takes NULL, returns NULL. */
struct merge *merge_new(void);
struct merge *merge_free(struct merge *merge);

/* Add PROFILE, which is only read; NAME is what an error calls it.
 * Returns 0, -ENOMEM (then MERGE can only be freed), or -EINVAL with a sentence when its ticks are
 * of another event or period than those before it, or its cells of another size: they are not the
 * same thing, and nothing is added.  Thread-safe: on distinct MERGE.  Signal-safe: no. */
int merge_add(struct merge *merge, const struct profile *profile, const char *name,
	      struct error *reterr);

/* Take off what BEFORE has, an earlier look at one of the profiles that were added: what is left
 * are the samples since, and no other values.  Returns 0, -ENOMEM, or -EINVAL with a sentence where
 * BEFORE has more of something (then MERGE can only be freed). */
int merge_take_off(struct merge *merge, const struct profile *before, struct error *reterr);

/* The sum, in an order of its own; it is the caller's, profile_free().  MERGE is used up.
 * Returns 0 or -ENOMEM. */
int merge_sum(struct merge *merge, struct profile **ret_profile);
