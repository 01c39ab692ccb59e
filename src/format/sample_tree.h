/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/keyset.h"
#include "profile/profile.h"

/* Ticks by source line as compilers count them: functions that are in the symbol table, below each
 * the functions inlined into it, by the line that calls them; and the ticks of each one's lines.
 * By contexts, a function that was called is below its caller as if inlined there, where the
 * compiler has both at once: they are of one source file and object.  A caller that was
 * interrupted, or is below as a callee already, is none. */

#define SAMPLE_NONE UINT32_MAX
#define SAMPLE_DEPTH_MAX 64 /* what is inlined deeper counts for the function that deep */

struct sample_line {
	uint32_t offset; /* from the line that the function begins on */
	uint32_t next;	 /* of the same node */
	uint64_t ticks;
};

struct sample_node {
	uint32_t function; /* string: as the linker calls it */
	uint32_t offset;   /* the line of the function above that calls it */
	uint64_t ticks;	   /* with all below */
	uint32_t lines, children, next;
};

struct sample_tree {
	const struct profile *profile;
	bool by_contexts;
	struct sample_node *nodes;
	size_t node_capacity;
	struct sample_line *lines;
	size_t line_capacity;
	struct keyset node_keys, line_keys; /* their numbers are those of nodes and lines */
	uint32_t roots;
	uint64_t ticks; /* in the tree; those without a line are not */
};

/* TREE is zeroed but for .profile and .by_contexts.  Returns 0 or -ENOMEM; in both cases
 * sample_tree_done() frees it. */
int sample_tree_make(struct sample_tree *tree);
void sample_tree_done(struct sample_tree *tree);
