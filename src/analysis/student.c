// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/significance.h"

#include <math.h>

/* Student's t: what the runs of one program differ by is the measure of what two of them do. */

#define TINY 1e-300
#define FRACTIONS_MAX 500

/* One convergent more of a continued fraction, by Lentz's method. */
static double lentz(double term, double *c, double *d)
{
	*d = 1 + term * *d;
	*d = 1 / (fabs(*d) < TINY ? TINY : *d);
	*c = 1 + term / *c;
	if (fabs(*c) < TINY)
		*c = TINY;
	return *c * *d;
}

/* The regularized incomplete beta function, by its continued fraction (DLMF 8.17.22), which
 * converges fast for X < (A + 1) / (A + B + 2). */
static double beta_fraction(double x, double a, double b)
{
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
	double c = 1 / TINY, d = 1, fraction = 1;

	for (int i = 1; i <= FRACTIONS_MAX; i++) {
		double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
		double odd =
			-(a + i - 1) * (a + b + i - 1) * x / ((a + 2 * i - 2) * (a + 2 * i - 1));
		double factor;

		fraction *= lentz(odd, &c, &d);
		factor = lentz(even, &c, &d);
		fraction *= factor;
		if (fabs(factor - 1) < 1e-14)
			break;
	}
	return front * fraction;
}

static double incomplete_beta(double x, double a, double b)
{
	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	if (x < (a + 1) / (a + b + 2))
		return beta_fraction(x, a, b);
	return 1 - beta_fraction(1 - x, b, a);
}

/* The probability of |t| or more with FREEDOM degrees. */
static double both_tails(double t, double freedom)
{
	return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

static double mean(struct runs runs)
{
	double sum = 0;

	for (size_t i = 0; i < runs.count; i++)
		sum += runs.values[i];
	return sum / (double)runs.count;
}

static double squares(struct runs runs)
{
	double middle = mean(runs), sum = 0;

	for (size_t i = 0; i < runs.count; i++)
		sum += (runs.values[i] - middle) * (runs.values[i] - middle);
	return sum;
}

/* The standard error of the difference of the means. */
static double standard_error(struct runs before, struct runs after, double freedom)
{
	double variance = (squares(before) + squares(after)) / freedom;

	return sqrt(variance * (1 / (double)before.count + 1 / (double)after.count));
}

double significance_of_runs(struct runs before, struct runs after)
{
	double freedom = (double)before.count + (double)after.count - 2;
	double difference, error;

	if (freedom < 1)
		return 1;
	difference = fabs(mean(after) - mean(before));
	error = standard_error(before, after, freedom);
	if (error > 0)
		return both_tails(difference / error, freedom);
	return difference > 0 ? 0 : 1;
}

/* By halving. */
double significance_quantile(double freedom)
{
	double low = 0, high = 1000;

	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (both_tails(middle, freedom) > SIGNIFICANCE_LEVEL)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double significance_half_width(struct runs before, struct runs after)
{
	double freedom = (double)before.count + (double)after.count - 2;

	return freedom < 1
		       ? INFINITY
		       : significance_quantile(freedom) * standard_error(before, after, freedom);
}
