/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/tree_functions.h"
#include "base/keyset.h"
#include "format/stack.h"

/* A thread's call stacks as the tables of the Firefox Profiler, whose rows are numbers of others':
 * a stack is the stack of its callers and a frame, a frame is in a function, a function in a file.
 * Keys are rows.  Words that may be missing are 1 more than what they say, or 0. */
struct firefox_tables {
	struct keyset stacks;	 /* callers' stack and 1, frame */
	struct keyset frames;	 /* location and 1, function, why the stack was cut there */
	struct keyset functions; /* index in functions, resource and 1, the same */
	struct keyset resources; /* index in mappings */
};

/* What they are made from. */
struct firefox_source {
	const struct profile *profile;
	bool has_stacks;
	struct tree_functions functions;
	struct firefox_origin *origins; /* of each function */
	struct stack stack;
};

/* What the list of functions does not say of one. */
struct firefox_origin {
	uint32_t object;			 /* index in mappings: the first that is its file */
	const struct profile_function *function; /* NULL: it has no name */
};

/* Returns 0 or -ENOMEM; in both cases firefox_source_done() frees it. */
int firefox_source_make(struct firefox_source *source, const struct profile *profile);
void firefox_source_done(struct firefox_source *source);

/* The stack of CELL in TABLES, zeroed at first.  Returns 0 or -ENOMEM. */
int firefox_stack(struct firefox_source *source, struct firefox_tables *tables,
		  const struct profile_cell *cell, uint32_t *ret_stack);
void firefox_tables_done(struct firefox_tables *tables);
