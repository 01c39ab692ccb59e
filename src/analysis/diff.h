/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/significance.h"
#include "analysis/table.h"
#include "base/error.h"
#include "profile/profile.h"

/* Two sides of profiles, each of one run or more, compared row by row. */

enum diff_side {
	DIFF_BEFORE,
	DIFF_AFTER,
	DIFF_SIDES,
};

/* What a value is. */
enum diff_per {
	DIFF_PER_TICKS, /* a share of all samples */
	DIFF_PER_RUN,	/* seconds of CPU time a run */
	DIFF_PER_UNIT,	/* seconds of CPU time a unit of work */
};

struct diff_options {
	enum table_by by;  /* function, line or object */
	bool by_path;	   /* by function: each with all that called it, a row a call stack */
	bool by_frame;	   /* the same, each with all that it called: a row a frame of a stack */
	uint32_t value;	   /* what the cells are of and 1 (filter_value()): no counts; 0: samples */
	enum diff_per per; /* of a value, not DIFF_PER_TICKS */
	double work[DIFF_SIDES]; /* units that each run of a side has done, > 0 */
	const char *object;	 /* only this object, by base name or path; NULL: all */
	const char *function;	 /* only functions that match this extended regex; NULL: all */
	bool sampling_alone;	 /* ask nothing more of one run a side than what chance does */
};

/* The profiles of a side; they are only read. */
struct diff_profiles {
	struct profile *const *items;
	size_t count;
};

/* How a row's two sides were found to be one thing. */
enum diff_match {
	DIFF_SAME,  /* in the same build of its file: same addresses */
	DIFF_NAMED, /* by its name, in another build of its file */
	DIFF_MOVED, /* by its name, in another file */
	DIFF_NEW,   /* it had no samples before */
	DIFF_GONE,  /* it had none after */
	DIFF_MATCHES,
};
const char *diff_match_name(enum diff_match match); /* "same", "named" ... */

/* What one side has of a row. */
struct diff_part {
	uint64_t ticks;
	double value; /* as .per has it */
	/* Where it was inlined into other functions: samples of their rows; by line, of this one.
	 */
	uint64_t inlined;
	const char *into;     /* the function that has most of those, "" */
	const char *build_id; /* of its file, "" when unknown */
};

struct diff_row {
	const char *name, *function, *object, *path, *file; /* as in struct table_row */
	uint32_t line;
	bool bare; /* .function only says where it is, "libx.so+0x1234" */
	enum profile_class class;
	struct diff_part parts[DIFF_SIDES];
	double change;		  /* after's value less before's */
	struct interval interval; /* of the change, 95 % */
	double probability;	  /* of such a change by chance, corrected; 1: not tested */
	bool significant;
	enum diff_match match;
	const char *moved_from; /* DIFF_MOVED: the object it was in */
	const char *stack;	/* by path: "main;work;leaf"; else NULL */
	uint32_t number;	/* by path: its stack's number in .paths */
	uint32_t depth;		/* by frame: callers above it; else 0 */
	uint32_t parent;	/* by frame: the row of its caller and 1; 0: it has none */
};

/* A side as a whole. */
struct diff_total {
	size_t runs;
	uint64_t ticks;
	double seconds; /* CPU time of all runs, 0 when unknown; so much of the value */
	double value;	/* of all rows, as .per has it */
};

struct diff {
	enum table_by by;
	bool by_path, by_frame;
	uint32_t value;
	enum diff_per per;
	struct diff_row *rows; /* significant ones first, then by the size of the change; by frame:
				  by depth, as they were met */
	size_t row_count, row_capacity;
	size_t compared; /* rows that could be significant: the correction is for so many */
	struct diff_total totals[DIFF_SIDES];
	double total_change;
	struct interval total_interval; /* from the runs; without bounds when they are too few */
	double total_probability;	/* 1 when they are too few */
	struct strings *strings;	/* the rows' text */
	struct diff_paths *paths;	/* its own, for diff_callers() */
};

/* Who called the function of ROW, by path: "work < main".  Heap; NULL where it is not by path, or
 * memory is short. */
char *diff_callers(const struct diff *diff, const struct diff_row *row);

/* Compare BEFORE and AFTER.
 * A row is significant when both of these say so, each after correction for the number of rows that
 * could be: the samples of a side, added up, differ by more than sampling does
 * (significance_of_counts()); and, with three runs in all or more, the runs of the two sides differ
 * by more than those of one (significance_of_runs()).  The interval is the wider of both.  A value
 * is no count: of it the runs alone tell, if there are three or more; with fewer, nothing is tested
 * and intervals have no bounds.  By frame, the samples of a row are those of the rows below
 * it too, so each depth shares out the samples, and is tested and corrected by itself.
 * Returns 0, -ENOMEM, -ENODATA with a sentence where there are too few samples, or -EINVAL with
 * one: bad regex, two events, two periods on a side, no CPU time. The diff is its own: the profiles
 * may be freed. */
int diff_build(const struct diff_profiles sides[DIFF_SIDES], const struct diff_options *options,
	       struct diff **ret_diff, struct error *reterr);
struct diff *diff_free(struct diff *diff);
