/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/callgraph.h"
#include "base/strings.h"

/* Where it matters that a call graph takes all calls of a function to cost the same.
 *
 * A histogram knows how long a function ran, not for whom.  Two things can be said all the same.
 * How much is at stake: the time of a function, with what it calls, that has several callers; any
 * part of it may be any one's.  And, of several runs: whether its own samples follow its calls from
 * run to run.  If each call cost the same, then of its T samples those of run r would be T n_r / n,
 * n being its calls; Pearson's chi-square of the difference, sum (T_r - T n_r / n)^2 / (T n_r / n)
 * over R runs, is about as a chi-square variable of R - 1 degrees of freedom, and is brought to a
 * standard normal one (E. B. Wilson, M. M. Hilferty, PNAS 17, 1931). */

struct doubt {
	uint32_t node;
	uint32_t callers;  /* how many; those that are not known are one */
	double stake;	   /* samples that are divided among them */
	bool contradicted; /* by the runs */
	double score;	   /* the standard normal value */
	/* Own samples a call, of the run with the least and of that with most. */
	double least, most;
};

/* Of a function in all runs added so far. */
struct doubt_sum {
	uint64_t ticks, calls;
	double squares; /* of T_r, by n_r */
	uint64_t least_calls;
	double least, most;
	uint32_t runs;
};

struct doubts {
	struct strings *names; /* "path, name": the number of a sum and 1 */
	struct doubt_sum *sums;
	size_t sum_count, sum_capacity;
	struct doubt *items; /* most at stake first */
	size_t count;
};

/* Of all samples, what is at stake where it is told; by how much costs differ that are told; and
 * the score they have, which chance passes less than once in a million times: a normal variable is
 * above 5 in 2.9e-7, and of two runs, the smaller with 50 samples due, it is 90 or more in 2.3e-7.
 */
#define DOUBT_STAKE 0.05
#define DOUBT_RATIO 1.25
#define DOUBT_SCORE 5

/* NULL when memory is short.  doubts_free() takes NULL, returns NULL. */
struct doubts *doubts_new(void);
struct doubts *doubts_free(struct doubts *doubts);

/* Take in the graph of one run, which is only read.  Returns 0 or -ENOMEM. */
int doubts_add(struct doubts *doubts, const struct callgraph *run);

/* Fill .items for GRAPH, the sum of all runs.  Returns 0 or -ENOMEM. */
int doubts_settle(struct doubts *doubts, const struct callgraph *graph);
