/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/diff.h"
#include "base/keyset.h"
#include "base/trie.h"

#include <regex.h>

/* What the parts of a diff share while it grows: rows.c makes rows of cells, diff.c compares. */

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

/* Who has most of the votes, as one walk can tell (Boyer and Moore). */
struct vote {
	const char *text;
	uint64_t lead;
};

/* By path: what tells rows by function apart. */
struct diff_frame {
	const char *name;
	uint32_t object; /* in the run that was looked at last */
	bool bare;
};

/* By path: the stacks of all runs, each that of its callers and a frame.  A function that
 * calls itself is on it once. */
struct diff_paths {
	struct strings *keys;	   /* of frames; number 0 stands for callers that are not known */
	struct diff_frame *frames; /* by the key's number */
	size_t frame_capacity;
	struct trie stacks; /* of frames */
	uint64_t *ticks;    /* by frame: of each stack, one a run */
	size_t ticks_capacity;
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

/* What the location with INDEX is in run RUN; SPOT->owned is the caller's.  Returns 0 or -ENOMEM.
 */
struct naming;
int diff_rows_spot(const struct differ *differ, size_t run, uint32_t index, struct naming *naming,
		   const struct diff_object **ret_object, struct diff_spot *ret_spot);

/* Whether the options let it through. */
bool diff_rows_wanted(const struct differ *differ, const struct diff_object *object,
		      const struct diff_spot *spot);

/* The row that KEY tells apart, made where it is new.  Returns 0 or -ENOMEM. */
int diff_rows_find(struct differ *differ, enum diff_side side, const struct diff_object *object,
		   const struct diff_spot *spot, const char *key, uint32_t *ret_row);

void diff_rows_charge(struct differ *differ, size_t run, uint32_t row, uint64_t ticks);

/* Add the cells of run RUN to the rows of their stacks; by frame, to what rows are made of.
 * Returns 0 or -ENOMEM. */
int diff_paths_add(struct differ *differ, size_t run, struct naming *naming);
/* By frame: all runs are there, make the rows.  Returns 0 or -ENOMEM. */
int diff_frames_build(struct differ *differ);
void diff_paths_free(struct diff_paths *paths);

/* The rows are there: add to those of functions that run RUN has inlined into others how many
 * samples are so, and into which.  Returns 0 or -ENOMEM. */
int diff_inlined_add(struct differ *differ, size_t run);

/* Make the rows, with their text and samples.  Returns 0 or -ENOMEM. */
int diff_rows_build(struct differ *differ);

/* Make one row of a function that had samples in one file alone before, and in one other alone
 * after.
 */
void diff_rows_move(struct differ *differ);

/* Say what each run and each side come to. */
void diff_add_totals(struct differ *differ);

/* Set the values of the rows and of the whole, their changes, intervals and probabilities: the rows
 * of one depth at once; by anything but frame, that is all.  Returns 0 or -ENOMEM. */
int diff_compare(struct differ *differ);

/* What one side has of ROW, as a proportion. */
struct proportion diff_proportion(const struct diff *diff, const struct diff_row *row,
				  enum diff_side side);

/* Make INTERVAL, of CHANGE, HALF_WIDTH wide on either side where it is less; an infinite one says
 * nothing. */
void diff_widen(struct interval *interval, double change, double half_width);

/* With one run a side: what all COUNT ROWS say of each is added to its test and its interval.
 * Returns 0 or -ENOMEM. */
int diff_single(const struct diff *diff, struct diff_row *rows, size_t count, struct test *tests);
