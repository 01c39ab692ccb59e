/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/tree.h"

/* Who called whom: samples with the call anywhere on their stack, each once, and how often, where
 * the program counted its calls itself (-pg). */
struct tree_arc {
	uint32_t caller, callee; /* functions */
	uint64_t total;		 /* samples */
	uint64_t calls;		 /* counted; 0 where they were not */
};

struct tree_arcs {
	struct tree_arc *list; /* by caller, then most samples */
	uint32_t *incoming;    /* their indices by callee, then most samples */
	size_t count, capacity;
};

/* Those of TREE, which was built callers first by FUNCTIONS, of PROFILE.  Returns 0, and
 * tree_arcs_done() frees them, or -ENOMEM. */
int tree_arcs_make(const struct profile *profile, const struct tree_functions *functions,
		   const struct tree *tree, struct tree_arcs *ret_arcs);
void tree_arcs_done(struct tree_arcs *arcs);
