// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* The interval's definition, solved without the formula: the shares p whose standard score
 * |observed - p| / sqrt(p (1 - p) / n) is below z. */
static double score(double observed, double p, double n)
{
	return fabs(observed - p) / sqrt(p * (1 - p) / n);
}

static double bisect(double observed, double n, double inside, double outside)
{
	for (int i = 0; i < 200; i++) {
		double middle = (inside + outside) / 2;

		if (score(observed, middle, n) < 1.959963984540054)
			inside = middle;
		else
			outside = middle;
	}
	return inside;
}

static void check(uint64_t ticks, uint64_t total)
{
	struct interval interval = interval_of_share(ticks, total);
	double share = (double)ticks / (double)total, n = (double)total;

	assert_true(fabs(interval.low - (ticks ? bisect(share, n, share, 0) : 0)) < 1e-9);
	assert_true(fabs(interval.high - (ticks < total ? bisect(share, n, share, 1) : 1)) < 1e-9);
	assert_true(interval.low <= share && share <= interval.high);
}

static void test_solves_the_score_equation(void **state)
{
	for (uint64_t total = 1; total <= 100000; total *= 10) {
		for (uint64_t part = 0; part <= 10; part++)
			check(total * part / 10, total);
		check(1, total);
		check(total - 1, total);
	}
}

static void test_of_nothing_knows_nothing(void **state)
{
	struct interval interval = interval_of_share(0, 0);

	assert_true(interval.low == 0);
	assert_true(interval.high == 1);
}

static void test_narrows_with_evidence(void **state)
{
	struct interval few = interval_of_share(5, 10), many = interval_of_share(5000, 10000);

	assert_true(few.high - few.low > 0.4);
	assert_true(many.high - many.low < 0.02);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_solves_the_score_equation),
		cmocka_unit_test(test_of_nothing_knows_nothing),
		cmocka_unit_test(test_narrows_with_evidence),
	};

	return cmocka_run_group_tests_name("interval", tests, NULL, NULL);
}
