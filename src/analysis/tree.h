/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/tree_functions.h"

#include <regex.h>

/* The call stacks of a profile as a tree of functions: of each path its samples, and what was on
 * the stack whichever way it was called.  A stack that was cut hangs below TREE_CUT, for who called
 * its first function is not known. */

#define TREE_NONE UINT32_MAX

struct tree_node {
	uint32_t parent;   /* index in nodes, TREE_NONE: it is a root */
	uint32_t function; /* index in functions and sums */
	uint32_t depth;	   /* 0: a root */
	uint32_t end;	   /* what is below it are the nodes behind it, up to this one */
	uint64_t self;	   /* samples in the function itself; leaf first: of paths that end here */
	uint64_t total;	   /* the same with all below */
};

/* Samples of a function wherever it stands: in it, and in it or what it called.  One that is on a
 * stack several times has the sample once. */
struct tree_sum {
	uint64_t self, total;
};

struct tree_options {
	bool reverse;	    /* leaf first: below a function who called it */
	const bool *wanted; /* for each function, whether paths begin there; NULL: all */
	uint64_t min;	    /* leaf first: nothing below what has fewer samples */
	uint32_t depth;	    /* leaf first: at most so many, 0: all */
};

struct tree {
	struct tree_node *nodes; /* a parent, then its children, most samples first */
	size_t node_count, node_capacity;
	struct tree_sum *sums; /* of each function; leaf first there are none */
	uint64_t shown;	       /* samples in the tree */
	uint64_t total;	       /* samples in the profile */
};

/* The tree of PROFILE's cells by FUNCTIONS, which must outlive nothing but this call.  A path that
 * has several of the functions that are wanted begins at the outermost, or leaf first at the
 * innermost.  *RET_TREE is freed with tree_free(), which takes NULL and returns NULL.  Time is
 * linear in contexts and cells; leaf first in the frames of what is not cut.  Returns 0 or -ENOMEM.
 */
int tree_build(const struct profile *profile, const struct tree_functions *functions,
	       const struct tree_options *options, struct tree **ret_tree);
struct tree *tree_free(struct tree *tree);

/* Whether any sample of PROFILE has a call stack, or was to have one. */
bool tree_has_stacks(const struct profile *profile);

/* Whether who called the first function of CELL's stack is not known.  What was idle was called by
 * nobody. */
bool tree_is_cut(const struct profile *profile, const struct profile_cell *cell);

/* How PROFILE's call stacks end: samples by enum stack_end.  The sum is all samples. */
void tree_ends(const struct profile *profile, uint64_t ret_ends[STACK_ENDS]);
