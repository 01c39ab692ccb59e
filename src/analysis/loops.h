/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/graph.h"

/* The loops of a function: natural ones, with one way in, by the dominators of its blocks (A. V.
 * Aho, M. S. Lam, R. Sethi, J. D. Ullman, Compilers, 2nd ed., 9.6).  One that is entered in several
 * places is not seen. */

struct loop {
	uint32_t head;	      /* the step at which it is entered */
	uint32_t first, last; /* its lowest and highest step; others may stand between */
	uint32_t steps;	      /* how many it has */
	uint32_t outer;	      /* the loop around it, LOOP_NONE: none */
	uint64_t ticks;	      /* in all its steps */
};

#define LOOP_NONE UINT32_MAX

struct loops {
	struct loop *items; /* an outer loop before those in it */
	uint32_t count;
	uint32_t *of_steps; /* for each step its innermost loop, or LOOP_NONE */
	uint32_t hot;	    /* the hot loop, LOOP_NONE when no loop has samples */
};

/* TICKS are those of each of the COUNT STEPS.  The hot loop is the innermost one with more than
 * half the samples of the loop around it, going down from the outermost one with most; none where
 * that is a large function's whole body.  Returns 0 or -ENOMEM.  The caller frees *RET_LOOPS with
 * loops_done(). */
int loops_find(const struct step *steps, const uint64_t *ticks, uint32_t count,
	       struct loops *ret_loops);
void loops_done(struct loops *loops);
