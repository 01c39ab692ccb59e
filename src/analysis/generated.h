/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* Code that a runtime made while it ran, and that has no names for want of a map
 * (symbol/perfmap.c): which runtime, and what makes it write one. */

struct runtime {
	const char *name;   /* of its programs, which may be followed by a version: "python" */
	const char *object; /* a file of its own in each of its processes, the same way */
	const char *flag;   /* what makes it write a map ... */
	const char *mark;   /* ... and what of that would stand in the command line */
	const char *advice; /* the same as a sentence */
};

enum { RUNTIMES = 5 };

struct generated {
	const struct runtime *runtime;
	uint64_t ticks; /* in its code, at addresses without names */
};

/* Find the runtimes of PROFILE that have at least one in a hundred of all samples in code without
 * names, and less in code with names.  A process is known by its own name; where but one process is
 * not, by the files in the profile, if they are one runtime's.  Who cannot be known, or was given
 * the flag, is left out, as is everything where no names were sought.  Returns how many there are.
 */
size_t generated_find(const struct profile *profile, struct generated ret_found[RUNTIMES]);
