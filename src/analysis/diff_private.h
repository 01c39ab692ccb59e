/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/diff.h"
#include "analysis/diff_objects.h"

#include <regex.h>

/* What the parts of a diff share while it grows: rows.c makes rows of cells, diff.c compares. */

/* Who has most of the votes, as one walk can tell (Boyer and Moore). */
struct vote {
	const char *text;
	uint64_t lead;
};

struct differ {
	const struct diff_profiles *sides; /* DIFF_SIDES of them */
	const struct diff_options *options;
	const regex_t *function; /* NULL: all */
	struct diff *diff;

	size_t run_count;    /* of both sides, before's first */
	uint64_t *run_ticks; /* of each run */
	double *run_seconds; /* CPU time of each run */
	uint64_t *ticks;     /* of each row, one a run */
	size_t ticks_capacity;
	struct vote (*votes)[DIFF_SIDES]; /* of each row, on what it was inlined into */
	size_t votes_capacity;

	struct diff_objects objects;
	uint32_t **numbers;   /* of each run, the object of each mapping */
	struct strings *keys; /* what tells rows apart; its number less 1 is the row's */
};

const struct profile *differ_run(const struct differ *differ, size_t run, enum diff_side *ret_side);

/* What a row is made of: a location's function; by line the innermost line and the function that it
 * is written in, so that a line stays one wherever the compiler inlines it. */
struct diff_spot {
	const char *function, *file;
	const char *outer; /* the function of the symbol table */
	char *owned;	   /* the function's name where only this has it; heap */
	uint32_t line;
	bool bare; /* "libx.so+0x1234": means something in this build alone */
};

/* What tells the row of SPOT in OBJECT apart, in differ->keys.  Heap.  Returns 0 or -ENOMEM. */
int diff_rows_key(const struct differ *differ, const struct diff_object *object,
		  const struct diff_spot *spot, char **ret_key);

/* The rows are there: add to those of functions that run RUN has inlined into others how many ticks
 * are so, and into which.  Returns 0 or -ENOMEM. */
int diff_inlined_add(struct differ *differ, size_t run);

/* Make the rows, with their text and ticks.  Returns 0 or -ENOMEM. */
int diff_rows_build(struct differ *differ);

/* Make one row of a function that had ticks in one file alone before, and in one other alone after.
 */
void diff_rows_move(struct differ *differ);

/* What one side has of ROW, as a proportion. */
struct proportion diff_proportion(const struct diff *diff, const struct diff_row *row,
				  enum diff_side side);

/* Make INTERVAL, of CHANGE, HALF_WIDTH wide on either side where it is less; an infinite one says
 * nothing. */
void diff_widen(struct interval *interval, double change, double half_width);

/* With one run a side: what all rows say of each is added to its test and its interval.  Returns 0
 * or -ENOMEM. */
int diff_single(struct diff *diff, struct test *tests);
