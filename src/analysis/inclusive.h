/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/tree_functions.h"

/* What calls cost with all below them, so that a function's own samples and what its calls cost are
 * its total, recursion or not: a sample is handed to each function on its stack by the outermost
 * call of it alone, and by none to the function that it is in. */
struct inclusive_call {
	uint32_t caller; /* index in locations: the call */
	uint32_t callee; /* the same: somewhere in the function called */
	uint64_t total;	 /* samples */
};

struct inclusive {
	struct inclusive_call *calls; /* by caller, then callee */
	size_t count, capacity;
};

/* Fill *RET, which inclusive_done() frees.  Time is linear in contexts and cells.  Returns 0 or
 * -ENOMEM. */
int inclusive_make(const struct profile *profile, const struct tree_functions *functions,
		   struct inclusive *ret);
void inclusive_done(struct inclusive *inclusive);
