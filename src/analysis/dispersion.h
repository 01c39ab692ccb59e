/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/significance.h"

#include <stdbool.h>

/* By how much single runs of one program differ beyond sampling, told by all rows of a comparison:
 * most of them did not change.
 *
 * The model: the logarithm of a row's change is normal around 0, with the variance that sampling
 * has and one more, which is not the same for all rows: it is that of Student's t with four degrees
 * of freedom, times a common scale.  Little is known of the scale beforehand (its prior is
 * half-Cauchy, with its middle at 0.1); the rest that is known of it for one row is what the other
 * rows say.  So a row is significant when it differs by more than the others do, and in a
 * comparison of fewer than six rows none is. (Bayesian meta-analysis with a t distribution of
 * effects: Lee and Thompson, Statistics in Medicine 27, 2008; the prior: Gelman, Bayesian Analysis
 * 1, 2006.) */
struct deviation {
	double change;	 /* of the logarithm, as a score: near it where it is small, 2 at most where
			    sides are of one size */
	double variance; /* that sampling has; not below 0, and 0 for a row that says nothing */
	bool speaks;	 /* it was there on both sides: it tells of the others' spread */
	double probability; /* set: of such a change where nothing changed; 1 where nothing is said
			     */
	double spread;	    /* set: standard deviation of runs beyond sampling, of the logarithm */
};

/* The deviation of what was counted before and after, with .probability and .spread unset. */
struct deviation dispersion_measure(const struct proportion *before,
				    const struct proportion *after);

/* Take from all changes their weighted median: of shares, what one row gains all others lose, which
 * says nothing of them.  Returns 0 or -ENOMEM. */
int dispersion_centre(struct deviation *deviations, size_t count);

/* Set .probability and .spread of all COUNT DEVIATIONS.  Pure; thread-safe: yes; signal-safe: no.
 */
void dispersion_judge(struct deviation *deviations, size_t count);

/* Half the width of the 95 % interval of the change that DEVIATION, judged, leaves, as a part of
 * the value; 0 where nothing is said. */
double dispersion_half_width(const struct deviation *deviation);
