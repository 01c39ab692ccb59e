// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/significance.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void near(double value, double expected, double part)
{
	if (fabs(value - expected) > part * fabs(expected))
		fail_msg("%.12g is not %.12g", value, expected);
}

static struct proportion share(uint64_t ticks, uint64_t total)
{
	return (struct proportion){ticks, total, 1};
}

/* From sums of binomial coefficients in exact fractions, twice the smaller tail. */
static void test_fisher(void **state)
{
	static const struct {
		uint64_t x, n, y, m;
		double p;
	} cases[] = {
		{3, 100, 12, 90, 0.0162146153912},	 {0, 1000, 8, 1000, 0.00770348085108},
		{40, 1000, 80, 1200, 0.00748553927432},	 {600, 1000, 650, 1000, 0.0235922211207},
		{10, 10000, 4, 1000, 0.0648501672449},	 {0, 30, 0, 30, 1},
		{500, 500, 480, 500, 1.57133052045e-06},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct proportion before = share(cases[i].x, cases[i].n);
		struct proportion after = share(cases[i].y, cases[i].m);

		near(significance_of_counts(&before, &after), cases[i].p, 1e-9);
		near(significance_of_counts(&after, &before), cases[i].p, 1e-9);
	}
}

static void test_fisher_with_scales(void **state)
{
	struct proportion before = {300, 1000, 1}, after = {280, 1000, 1.1};

	near(significance_of_counts(&before, &after), 0.74396435, 1e-6);
	before = (struct proportion){30, 400, 2};
	after = (struct proportion){120, 900, 1.5};
	near(significance_of_counts(&before, &after), 0.166262727, 1e-6);
	/* What is twice the time in half the ticks is no change. */
	before = (struct proportion){200, 1000, 1};
	after = (struct proportion){100, 1000, 2};
	assert_true(significance_of_counts(&before, &after) > 0.9);
}

/* The exact test and the normal approximation meet where the one gives way to the other. */
static void test_many_ticks(void **state)
{
	uint64_t total = 4000000000, some = 499900000, more = 500000000;
	struct proportion before = share(some, total), after = share(some + 90000, total);
	double exact = significance_of_counts(&before, &after), normal;

	before.ticks += more - some, after.ticks += more - some;
	normal = significance_of_counts(&before, &after);
	assert_true(exact > 0.001 && exact < 0.05);
	near(exact, normal, 0.01);
	before = share(INT64_MAX, INT64_MAX), after = share(1, INT64_MAX);
	assert_true(significance_of_counts(&before, &after) < 1e-12);
}

static void test_attainable(void **state)
{
	struct proportion before = share(2, 1000), after = share(3, 1000);
	double all = significance_attainable(&before, &after);

	/* All five on one side: 2 / 2^5, a little less, for they are drawn without being put back.
	 */
	near(all, 2.0 / 32, 0.02);
	assert_true(all < significance_of_counts(&before, &after));
}

/* Newcombe 1998, table II, method 10, (a): 56/70 and 48/80. */
static void test_interval(void **state)
{
	struct proportion before = share(48, 80), after = share(56, 70);
	struct interval interval = significance_interval(&before, &after);

	near(interval.low, 0.0524, 1e-3);
	near(interval.high, 0.3339, 1e-3);
	before.scale = after.scale = 10;
	interval = significance_interval(&before, &after);
	near(interval.low, 0.524, 1e-3);
	before = share(0, 10), after = share(0, 10);
	interval = significance_interval(&before, &after);
	near(interval.low, -0.2775, 1e-3);
	near(interval.high, 0.2775, 1e-3);
}

/* The quantiles of t that every table has. */
static void test_student(void **state)
{
	static const double before[] = {-1, 1}, after[] = {9, 11};
	struct runs left = {before, 2}, right = {after, 2};
	double error = sqrt(2.0);

	/* t = 10 / sqrt(2), 2 degrees: p = 1 - t / sqrt(t^2 + 2). */
	near(significance_of_runs(left, right), 1 - 10 / error / sqrt(52), 1e-9);
	near(significance_half_width(left, right), 4.302653 * error, 1e-6);
	right.count = 1; /* t of 1 degree: 12.706 */
	near(significance_half_width(left, right), 12.706205 * sqrt(2 * 1.5), 1e-6);
	left.count = 1;
	assert_true(significance_of_runs(left, right) == 1);
	assert_true(isinf(significance_half_width(left, right)));
}

static void test_runs_that_never_differ(void **state)
{
	static const double one[] = {1, 1, 1}, two[] = {2, 2, 2};

	assert_true(significance_of_runs((struct runs){one, 3}, (struct runs){two, 3}) == 0);
	assert_true(significance_of_runs((struct runs){one, 3}, (struct runs){one, 3}) == 1);
}

/* Holm's own steps: 0.01 x 4, then 0.013 x 3 is less than that, then 0.03 x 2, then 0.04. */
static void test_holm(void **state)
{
	struct test tests[] = {{0.03, 0, 0}, {0.01, 0, 0}, {0.04, 0, 0}, {0.013, 0, 0}};

	assert_int_equal(significance_adjust(tests, 4), 4);
	near(tests[1].adjusted, 0.04, 1e-9);
	near(tests[3].adjusted, 0.04, 1e-9);
	near(tests[0].adjusted, 0.06, 1e-9);
	near(tests[2].adjusted, 0.06, 1e-9);
}

/* Those that could not be significant, whatever they show, cost the others nothing. */
static void test_tarone(void **state)
{
	struct test tests[100];

	for (size_t i = 0; i < 100; i++)
		tests[i] = (struct test){0.5, i < 2 ? 1e-6 : 0.2, 0};
	tests[0].probability = 0.02;
	assert_int_equal(significance_adjust(tests, 100), 2);
	near(tests[0].adjusted, 0.04, 1e-9);
	assert_true(tests[99].adjusted == 1);
	assert_int_equal(significance_adjust(tests, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fisher),
		cmocka_unit_test(test_fisher_with_scales),
		cmocka_unit_test(test_many_ticks),
		cmocka_unit_test(test_attainable),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_student),
		cmocka_unit_test(test_runs_that_never_differ),
		cmocka_unit_test(test_holm),
		cmocka_unit_test(test_tarone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
