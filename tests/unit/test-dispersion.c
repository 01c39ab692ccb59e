// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/dispersion.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define ROWS 30

static struct deviation measured(uint64_t before, uint64_t after)
{
	const struct proportion x = {before, 100000, 1}, y = {after, 100000, 1};

	return dispersion_measure(&x, &y);
}

/* Rows of 2,000 ticks before; after, one more or less than that in turn by SPREAD, all by SHIFT;
 * and the first by CHANGE alone. */
static struct deviation first_of(double spread, double shift, double change)
{
	struct deviation deviations[ROWS];

	for (int i = 0; i < ROWS; i++) {
		double factor = 1 + shift + (i % 2 ? spread : -spread) + (i ? 0 : change);

		deviations[i] = measured(2000, (uint64_t)(2000 * factor));
	}
	dispersion_judge(deviations, ROWS);
	return deviations[0];
}

static void a_deviation_is_a_logarithm(void **state)
{
	struct deviation up = measured(10000, 10500), down = measured(10500, 10000);

	assert_true(fabs(up.change - log(1.05)) < 0.001);
	assert_true(fabs(up.change + down.change) < 1e-9);
	/* 1/x + 1/y, less the part that both sides have of all ticks. */
	assert_true(fabs(up.variance - (1 / 10000.0 + 1 / 10500.0) * (1 - 20500 / 2e5)) < 1e-6);
}

static void scales_are_of_the_value(void **state)
{
	/* As many ticks, of which each is worth half as much: the value halved. */
	const struct proportion before = {1000, 100000, 2}, after = {1000, 100000, 1};
	const struct proportion twice = {2000, 100000, 1};

	assert_true(dispersion_measure(&before, &after).change < -0.5);
	assert_true(fabs(dispersion_measure(&before, &twice).change) < 1e-9);
}

static void what_has_few_ticks_says_nothing(void **state)
{
	struct deviation deviation = measured(9, 10);

	assert_true(deviation.variance == 0);
	dispersion_judge(&deviation, 1);
	assert_true(deviation.probability == 1 && deviation.spread == 0);
	/* Nor does what has all of them. */
	assert_true(
		dispersion_measure(&(struct proportion){50, 50, 1}, &(struct proportion){60, 60, 1})
			.variance == 0);
}

static void one_that_differs_by_more_than_the_others_is_seen(void **state)
{
	assert_true(first_of(0, 0, 0.3).probability < 1e-4);
	assert_true(first_of(0, 0, 0).probability > 0.9);
	assert_true(first_of(0, 0, 0.3).spread < 0.02);
}

static void one_that_differs_as_the_others_do_is_not(void **state)
{
	assert_true(first_of(0.2, 0, 0).probability > 0.2);
	assert_true(first_of(0.2, 0, -0.1).probability > 0.05);
	assert_true(first_of(0.2, 0, 0).spread > 0.1);
	assert_true(first_of(0, 0.2, 0).probability > 0.2);
}

static void two_rows_say_nothing_of_each_other(void **state)
{
	struct deviation deviations[] = {measured(20000, 40000), measured(20000, 20000)};

	dispersion_judge(deviations, 2);
	assert_true(deviations[0].probability > 0.05);
	dispersion_judge(deviations, 1);
	assert_true(deviations[0].probability > 0.05);
}

static void what_one_gains_of_shares_all_others_lose(void **state)
{
	struct deviation deviations[ROWS];

	for (int i = 0; i < ROWS; i++)
		deviations[i] = measured(2000, i ? 1600 : 3000);
	assert_int_equal(dispersion_centre(deviations, ROWS), 0);
	dispersion_judge(deviations, ROWS);
	assert_true(deviations[0].probability < 1e-4 && deviations[0].change > 0.5);
	assert_true(deviations[1].probability > 0.9 && deviations[1].change == 0);
	assert_int_equal(dispersion_centre(deviations, 0), 0);
}

static void new_ones_are_seen(void **state)
{
	struct deviation deviations[ROWS];

	for (int i = 0; i < ROWS; i++)
		deviations[i] = measured(i ? 2000 : 0, i ? 2000 : 400);
	dispersion_judge(deviations, ROWS);
	assert_true(deviations[0].probability < 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deviation_is_a_logarithm),
		cmocka_unit_test(scales_are_of_the_value),
		cmocka_unit_test(what_has_few_ticks_says_nothing),
		cmocka_unit_test(one_that_differs_by_more_than_the_others_is_seen),
		cmocka_unit_test(one_that_differs_as_the_others_do_is_not),
		cmocka_unit_test(two_rows_say_nothing_of_each_other),
		cmocka_unit_test(what_one_gains_of_shares_all_others_lose),
		cmocka_unit_test(new_ones_are_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
