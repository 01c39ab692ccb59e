/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/tree_functions.h"

/* What calls cost with all below them, so that what the calls of a function cost is its total,
 * recursion or not: a sample is handed to each function on its stack by the outermost call of it
 * alone.  Readers that add up calls know no other total of what is called anywhere, so the stacks
 * that begin with such a function have a caller for it, too. */
struct inclusive_call {
	uint32_t caller; /* index in locations: the call; or one of these */
	uint32_t callee; /* the same: somewhere in the function called */
	uint64_t total;	 /* samples */
};

#define INCLUSIVE_CUT (UINT32_MAX - 1) /* the stack was cut: the caller is not known */
#define INCLUSIVE_ROOT UINT32_MAX      /* nobody: the stack is whole */

struct inclusive {
	struct inclusive_call *calls; /* by caller, then callee */
	size_t count, capacity;
};

/* Fill *RET, which inclusive_done() frees.  Time is linear in contexts and cells.  Returns 0 or
 * -ENOMEM. */
int inclusive_make(const struct profile *profile, const struct tree_functions *functions,
		   struct inclusive *ret);
void inclusive_done(struct inclusive *inclusive);
