/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/interval.h"

#include <stddef.h>
#include <stdint.h>

/* Whether something changed between two measurements, or chance alone made the difference.  Pure
 * functions of their arguments.  Thread-safe: yes.  Signal-safe: no. */

/* What was counted on one side. */
struct proportion {
	uint64_t ticks, total; /* ticks <= total, total > 0 */
	double scale; /* > 0: the value is scale x share; seconds, or 1 for the share itself */
};

/* The 95 % interval of after's value less before's: Newcombe's hybrid score interval (Statistics in
 * Medicine 17, 1998, method 10), from the Wilson interval of each side; with scales, as Zou and
 * Donner have it (Statistics in Medicine 27, 2008). */
struct interval significance_interval(const struct proportion *before,
				      const struct proportion *after);

/* The probability that chance makes a difference as large where the values are equal, two-sided
 * (twice the smaller tail): Fisher's exact test (JRSS 98, 1935).  Where the scales differ, the odds
 * under the hypothesis are those of the most likely shares for which the values are equal
 * (Miettinen and Nurminen, Statistics in Medicine 4, 1985).  Beyond 10^9 samples, the normal
 * approximation. */
double significance_of_counts(const struct proportion *before, const struct proportion *after);

/* The least that significance_of_counts() could have been for as many samples in both together. */
double significance_attainable(const struct proportion *before, const struct proportion *after);

/* Values of repeated runs. */
struct runs {
	const double *values;
	size_t count;
};

/* The probability that runs that differ among themselves as these do have means as different by
 * chance: Student's t test (Biometrika 6, 1908) with the common variance of both sides, two-sided.
 * With fewer than three runs in all it is 1. */
double significance_of_runs(struct runs before, struct runs after);

/* Half the width of the 95 % interval of the difference of their means, infinite with fewer than
 * three runs in all. */
double significance_half_width(struct runs before, struct runs after);

/* The |t| that Student's t with FREEDOM degrees, 1 at least, exceeds in 5 % of all cases. */
double significance_quantile(double freedom);

/* Tests made at once. */
struct test {
	double probability; /* of this test alone */
	double attainable;  /* the least it could have been whatever the split of its samples */
	double adjusted;    /* set: at most 0.05 is significant among all of them */
};

/* Set .adjusted of each of TESTS, so that the chance of one false alarm or more among all of them
 * is at most 5 %: Holm's correction (Scandinavian Journal of Statistics 6, 1979) over those that
 * could be significant at all, which are chosen as Tarone has it (Biometrics 46, 1990) by their
 * number of samples alone; the others get 1.  Returns how many were tested, or -ENOMEM. */
int significance_adjust(struct test *tests, size_t count);

#define SIGNIFICANCE_LEVEL 0.05
