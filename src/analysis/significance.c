// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/significance.h"

#include "base/array.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* Beyond so many samples a function's count is normal for every purpose, and an exact sum is long.
 */
#define EXACT_MAX 1e9

/* Terms so much smaller than the largest one do not count in double. */
#define NOTHING 1e-25

struct interval significance_interval(const struct proportion *before,
				      const struct proportion *after)
{
	struct interval b = interval_of_share(before->ticks, before->total);
	struct interval a = interval_of_share(after->ticks, after->total);
	double old = before->scale * (double)before->ticks / (double)before->total;
	double new = after->scale *(double)after->ticks / (double)after->total;

	return (struct interval){
		new - old - hypot(new - after->scale *a.low, before->scale * b.high - old),
		new - old + hypot(after->scale * a.high - new, old - before->scale * b.low),
	};
}

/* The most likely share before when the share after is RATIO times that: the smaller root of a
 * quadratic. */
static double restricted_share(const struct proportion *before, const struct proportion *after,
			       double ratio)
{
	double n = (double)before->total, m = (double)after->total;
	double x = (double)before->ticks, y = (double)after->ticks;
	double a = (n + m) * ratio, b = n * ratio + x + m + y * ratio, c = x + y;

	return (b - sqrt(fmax(0, b * b - 4 * a * c))) / (2 * a);
}

/* ---- Fisher's exact test ---- */

/* How samples of all that a function has, drawn from both sides, fall to the side after. */
struct split {
	double total, before, after; /* samples of the function; of all, on each side */
	double odds;		     /* of after against before, when nothing changed */
};

/* How much likelier ticks + 1 is than ticks. */
static double step(const struct split *split, double ticks)
{
	return (split->total - ticks) * (split->after - ticks) * split->odds /
	       ((ticks + 1) * (split->before - split->total + ticks + 1));
}

static double least(const struct split *split)
{
	return fmax(0, split->total - split->before);
}

static double most(const struct split *split)
{
	return fmin(split->total, split->after);
}

/* The likeliest number: steps shrink as samples grow, so it is where they fall below 1. */
static double likeliest(const struct split *split)
{
	double low = least(split), high = most(split);

	while (low < high) {
		double middle = floor((low + high) / 2);

		if (step(split, middle) >= 1)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct tails {
	double up_to, from, all;
};

static void add_term(struct tails *tails, double ticks, double observed, double weight)
{
	tails->all += weight;
	if (ticks <= observed)
		tails->up_to += weight;
	if (ticks >= observed)
		tails->from += weight;
}

/* From the likeliest number outwards, until nothing more comes. */
static double exact(const struct split *split, double observed)
{
	double peak = likeliest(split), weight = 1;
	struct tails tails = {0, 0, 0};

	add_term(&tails, peak, observed, 1);
	for (double ticks = peak; ticks < most(split) && weight > NOTHING; ticks++) {
		weight *= step(split, ticks);
		add_term(&tails, ticks + 1, observed, weight);
	}
	weight = 1;
	for (double ticks = peak; ticks > least(split) && weight > NOTHING; ticks--) {
		weight /= step(split, ticks - 1);
		add_term(&tails, ticks - 1, observed, weight);
	}
	return fmin(1, 2 * fmin(tails.up_to, tails.from) / tails.all);
}

/* The odds may not be without bound: a share of 1 leaves nothing to compare with. */
static struct split split_of(const struct proportion *before, const struct proportion *after)
{
	double ratio = before->scale / after->scale;
	double share = restricted_share(before, after, ratio);
	double rest = fmax(1 - ratio * share, 1e-12);

	return (struct split){
		.total = (double)before->ticks + (double)after->ticks,
		.before = (double)before->total,
		.after = (double)after->total,
		.odds = before->scale == after->scale ? 1 : ratio * fmax(1 - share, 1e-12) / rest,
	};
}

static double normal(const struct proportion *before, const struct proportion *after)
{
	double ratio = before->scale / after->scale;
	double share = restricted_share(before, after, ratio), other = fmin(1, ratio * share);
	double old = before->scale * (double)before->ticks / (double)before->total;
	double new = after->scale *(double)after->ticks / (double)after->total;
	double variance =
		before->scale * before->scale * share * (1 - share) / (double)before->total +
		after->scale * after->scale * other * (1 - other) / (double)after->total;

	return variance > 0 ? erfc(fabs(new - old) / sqrt(2 * variance)) : 1;
}

double significance_of_counts(const struct proportion *before, const struct proportion *after)
{
	struct split split = split_of(before, after);

	if (split.total > EXACT_MAX)
		return normal(before, after);
	return exact(&split, (double)after->ticks);
}

double significance_attainable(const struct proportion *before, const struct proportion *after)
{
	struct split split = split_of(before, after);

	if (split.total > EXACT_MAX)
		return 0;
	return fmin(exact(&split, least(&split)), exact(&split, most(&split)));
}

/* ---- many tests at once ---- */

static int compare_tests(const void *left, const void *right)
{
	double a = (*(struct test *const *)left)->probability;
	double b = (*(struct test *const *)right)->probability;

	return (a > b) - (a < b);
}

/* How many could reach the level where it is shared among so many. */
static size_t able_of(const struct test *tests, size_t count, size_t share)
{
	size_t able = 0;

	for (size_t i = 0; i < count; i++)
		able += tests[i].attainable <= SIGNIFICANCE_LEVEL / (double)share;
	return able;
}

/* The fewest tests that the level need be shared among: at most so many could reach their part. The
 * more share it the fewer can. */
static size_t tarone(const struct test *tests, size_t count)
{
	size_t low = 1, high = count + 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (able_of(tests, count, middle) <= middle)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int significance_adjust(struct test *tests, size_t count)
{
	struct test **chosen = calloc(count + 1, sizeof(*chosen));
	double level, highest = 0;
	size_t able = 0;

	if (!chosen)
		return -ENOMEM;
	level = SIGNIFICANCE_LEVEL / (double)tarone(tests, count);
	for (size_t i = 0; i < count; i++) {
		tests[i].adjusted = 1;
		if (tests[i].attainable <= level)
			chosen[able++] = &tests[i];
	}
	ARRAY_SORT(chosen, able, compare_tests);
	for (size_t i = 0; i < able; i++) {
		highest = fmax(highest, (double)(able - i) * chosen[i]->probability);
		chosen[i]->adjusted = fmin(1, highest);
	}
	free(chosen);
	return able > INT_MAX ? INT_MAX : (int)able;
}
