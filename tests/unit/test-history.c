// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/history.h"

#include "analysis/folds.h"
#include "view/bar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct key one = {{1}}, other = {{2}};

static uint32_t tell(struct history *history, const struct key *key, uint64_t count, bool is_new)
{
	uint32_t number;

	assert_int_equal(history_tell(history, key, count, is_new, &number), 0);
	return number;
}

static void test_growth_is_told_moment_by_moment(void **state)
{
	struct history history = {0};
	uint32_t number;

	history_step(&history);
	number = tell(&history, &one, 100, true);
	assert_int_equal(history_grown(&history, number, 0), 0);
	history_step(&history);
	assert_int_equal(tell(&history, &one, 130, true), number);
	/* The same moment, once more. */
	assert_int_equal(tell(&history, &one, 130, true), number);
	assert_int_equal(history_grown(&history, number, 0), 30);
	assert_int_equal(history_grown(&history, number, 1), 0);
	history_step(&history);
	assert_int_equal(history_grown(&history, number, 0), 0);
	assert_int_equal(history_grown(&history, number, 1), 30);
	history_done(&history);
}

/* What is new has grown from nothing, but for what was there and was not told. */
static void test_what_is_new(void **state)
{
	struct history history = {0};
	uint32_t number;

	history_step(&history);
	history_step(&history);
	number = tell(&history, &one, 7, true);
	assert_int_equal(history_grown(&history, number, 0), 7);
	number = tell(&history, &other, 7, false);
	assert_int_equal(history_grown(&history, number, 0), 0);
	history_done(&history);
}

/* Growth that was long ago does not come back where its place is used again. */
static void test_what_was_not_told_did_not_grow(void **state)
{
	struct history history = {0};
	uint32_t number = 0;

	for (unsigned gap = 1; gap < 3 * HISTORY_MOMENTS; gap++) {
		history_step(&history);
		number = tell(&history, &one, 10UL * gap, true);
		for (unsigned i = 0; i < gap; i++)
			history_step(&history);
		number = tell(&history, &one, 10UL * gap + 5, true);
		assert_int_equal(history_grown(&history, number, 0), 5);
		for (unsigned ago = 1; ago < gap && ago < HISTORY_MOMENTS; ago++)
			assert_int_equal(history_grown(&history, number, ago), 0);
	}
	assert_int_equal(history_grown(&history, number, HISTORY_MOMENTS), 0);
	history_done(&history);
}

static void test_folds_stay_as_they_were_set(void **state)
{
	struct folds folds = {0};

	assert_true(folds_is_open(&folds, &one, true));
	assert_true(folds_is_open(&folds, &one, false));
	assert_false(folds_is_open(&folds, &other, false));
	assert_int_equal(folds_set(&folds, &one, false), 0);
	assert_false(folds_is_open(&folds, &one, true));
	assert_int_equal(folds_set(&folds, &other, true), 0);
	assert_true(folds_is_open(&folds, &other, false));
	folds_done(&folds);
}

static void test_sparks(void **state)
{
	const uint64_t amounts[] = {0, 1, 4, 8}, nothing[] = {0, 0};
	char text[BAR_TEXT];

	bar_spark(true, amounts, 4, text);
	assert_string_equal(text, " ▁▄█");
	bar_spark(false, amounts, 4, text);
	assert_string_equal(text, " .=#");
	bar_spark(true, nothing, 2, text);
	assert_string_equal(text, "  ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth_is_told_moment_by_moment),
		cmocka_unit_test(test_what_is_new),
		cmocka_unit_test(test_what_was_not_told_did_not_grow),
		cmocka_unit_test(test_folds_stay_as_they_were_set),
		cmocka_unit_test(test_sparks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
