/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/diff.h"

/* Whether a diff may pass: for CI, where "nothing was found" must not mean "nothing could be". */
enum gate {
	GATE_PASSES,  /* nothing grew by more than the limit */
	GATE_EXCEEDS, /* something did, for certain */
	GATE_OPEN,    /* something may have: the runs cannot tell */
};

struct gate_verdict {
	enum gate gate;
	/* Whom it is about: where it exceeds, what grew most; where it is open, what may have grown
	 * most.  NULL: the whole, or, of shares, all rows together that changed for certain. */
	const struct diff_row *row;
	/* By how much it changed, or may have; as a part of all that was before. */
	double change;
	size_t repeats; /* where it is open: about so many runs a side would tell; 0: above
			   GATE_REPEATS_MAX */
};

#define GATE_REPEATS_MAX 1000

/* Judge DIFF by LIMIT, as a part of all that was before: 0.05 is 5 %.
 *
 * With three runs in all or more the runs say by how much they differ: what is significant grew,
 * and what has its 95 % interval below the limit did not.  With one run a side the counts alone say
 * what chance can do, and chance is taken for as wild as it was ever seen (diff_gate.c). Of shares,
 * what one row gains others lose: one that fell is as good as others that grew. Pure; thread-safe:
 * yes; signal-safe: no. */
void diff_gate(const struct diff *diff, double limit, struct gate_verdict *ret_verdict);
