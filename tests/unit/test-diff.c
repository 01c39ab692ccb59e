// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "diffs.h"

#include <errno.h>

/* ---- numbers ---- */

static void test_shares_and_changes(void **state)
{
	struct profile *before = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);
	struct profile *after = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);
	const struct diff_row *row;
	struct diff *diff;

	diffs_add(before, 0x1010, "f", NULL, 200), diffs_add(before, 0x1020, "g", NULL, 800);
	diffs_add(after, 0x1010, "f", NULL, 600), diffs_add(after, 0x1020, "g", NULL, 1400);
	diff = diffs_compare(before, after);
	assert_int_equal(diff->row_count, 2);
	assert_int_equal(diff->compared, 2);
	row = diffs_find(diff, "f");
	diffs_near(row->parts[DIFF_BEFORE].value, 0.2);
	diffs_near(row->parts[DIFF_AFTER].value, 0.3);
	diffs_near(row->change, 0.1);
	/* Of two rows in one run each nobody knows what repeats would do. */
	assert_true(row->interval.low < 0.06 && row->interval.high > 0.14);
	assert_false(row->significant);
	assert_int_equal(row->match, DIFF_SAME);
	diffs_near(diffs_find(diff, "g")->change, -0.1);
	(void)diff_free(diff);
}

/* Twenty more functions, which have the same time on both sides. */
static void add_quiet(struct profile *before, struct profile *after)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "h", "i", "j", "k", "l",
					    "m", "n", "o", "p", "q", "r", "s", "t", "u", "v"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		diffs_add(before, 0x2000 + 0x10 * i, names[i], NULL, 500);
		diffs_add(after, 0x2000 + 0x10 * i, names[i], NULL, 500);
	}
}

static void test_rows_that_did_not_change_tell_what_runs_do(void **state)
{
	const enum profile_class classes[] = {CLASS_PROGRAM, CLASS_LIBRARIES, CLASS_KERNEL};

	for (size_t i = 0; i < 3; i++) {
		struct profile *before = diffs_profile("/bin/a", "c0de", classes[i]);
		struct profile *after = diffs_profile("/bin/a", "c0de", classes[i]);
		struct diff *diff;

		diffs_add(before, 0x1010, "f", NULL, 1000),
			diffs_add(after, 0x1010, "f", NULL, 2000);
		add_quiet(before, after);
		diff = diffs_compare(before, after);
		/* Of the kernel one run tells nothing. */
		assert_int_equal(diffs_find(diff, "f")->significant, classes[i] != CLASS_KERNEL);
		assert_false(diffs_find(diff, "h")->significant);
		(void)diff_free(diff);
	}
}

/* The same time in f, and more in g: f's share is less, its time is not. */
static void test_time_of_a_run_and_of_work(void **state)
{
	struct diff_options options = {.by = TABLE_BY_FUNCTION, .per = DIFF_PER_RUN};
	struct profile *before = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);
	struct profile *after = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);
	struct diff *diff;

	diffs_add(before, 0x1010, "f", NULL, 1000), diffs_add(before, 0x1020, "g", NULL, 1000);
	diffs_add(after, 0x1010, "f", NULL, 1000), diffs_add(after, 0x1020, "g", NULL, 2000);
	add_quiet(before, after);
	before->facts.cpu_ns = 12000000000;
	after->facts.cpu_ns = 13130000000;
	diff = diffs_compare_as(before, after, &options);
	diffs_near(diff->totals[DIFF_BEFORE].value, 12);
	diffs_near(diff->totals[DIFF_AFTER].value, 13.13);
	diffs_near(diffs_find(diff, "f")->change, 0.01);
	assert_false(diffs_find(diff, "f")->significant);
	assert_true(diffs_find(diff, "g")->significant);
	(void)diff_free(diff);

	options.per = DIFF_PER_UNIT;
	options.work[DIFF_BEFORE] = 10, options.work[DIFF_AFTER] = 20;
	before = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);
	after = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);
	diffs_add(before, 0x1010, "f", NULL, 1000), diffs_add(before, 0x1020, "g", NULL, 1000);
	diffs_add(after, 0x1010, "f", NULL, 1000), diffs_add(after, 0x1020, "g", NULL, 2000);
	diff = diffs_compare_as(before, after, &options);
	diffs_near(diffs_find(diff, "f")->parts[DIFF_BEFORE].value, 0.1);
	diffs_near(diffs_find(diff, "f")->parts[DIFF_AFTER].value, 0.05);
	diffs_near(diffs_find(diff, "g")->change, 0);
	(void)diff_free(diff);
}

/* ---- repeats ---- */

/* COUNT runs a side, in which f has what is in TICKS of 1,000. */
static struct diff *compare_runs(const uint64_t *ticks, size_t count)
{
	struct diff_options options = {.by = TABLE_BY_FUNCTION};
	struct profile *profiles[16];
	const struct diff_profiles sides[DIFF_SIDES] = {{profiles, count},
							{profiles + count, count}};
	struct diff *diff = NULL;

	for (size_t i = 0; i < 2 * count; i++) {
		profiles[i] = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);
		diffs_add(profiles[i], 0x1010, "f", NULL, ticks[i]);
		diffs_add(profiles[i], 0x1020, "g", NULL, 1000 - ticks[i]);
	}
	assert_int_equal(diff_build(sides, &options, &diff, NULL), 0);
	for (size_t i = 0; i < 2 * count; i++)
		(void)profile_free(profiles[i]);
	return diff;
}

static void test_runs_that_vary_are_no_change(void **state)
{
	/* As many ticks in both: what differs within a side is not told from what changed. */
	const uint64_t wild[] = {100, 300, 200, 200, 400, 300};
	const uint64_t calm[] = {198, 200, 202, 298, 300, 302};
	struct diff *diff = compare_runs(wild, 3);
	double width = diff->rows[0].interval.high - diff->rows[0].interval.low;

	assert_int_equal(diff->totals[DIFF_AFTER].runs, 3);
	assert_false(diffs_find(diff, "f")->significant);
	assert_true(diff->rows[0].interval.low < 0 && diff->rows[0].interval.high > 0);
	(void)diff_free(diff);
	diff = compare_runs(calm, 3);
	assert_true(diffs_find(diff, "f")->significant);
	assert_true(diff->rows[0].interval.high - diff->rows[0].interval.low < width / 3);
	diffs_near(fabs(diff->rows[0].change), 0.1);
	(void)diff_free(diff);
}

/* ---- what is refused ---- */

static void refused(struct profile *before, struct profile *after,
		    const struct diff_options *options, const char *words)
{
	const struct diff_profiles sides[DIFF_SIDES] = {{&before, 1}, {&after, 1}};
	struct error error = {""};
	struct diff *diff = NULL;

	assert_true(diff_build(sides, options, &diff, &error) < 0);
	if (!strstr(error.text, words))
		fail_msg("'%s' is not in '%s'", words, error.text);
	assert_null(diff);
	(void)profile_free(before);
	(void)profile_free(after);
}

static struct profile *ordinary(uint64_t ticks)
{
	struct profile *profile = diffs_profile("/bin/a", "c0de", CLASS_PROGRAM);

	diffs_add(profile, 0x1010, "f", NULL, ticks);
	return profile;
}

static void test_refusals(void **state)
{
	struct diff_options options = {.by = TABLE_BY_FUNCTION};
	struct profile *other = ordinary(100);

	other->facts.event = sample_string(other, "cycles");
	refused(ordinary(100), other, &options, "'cpu-clock' and of 'cycles'");
	refused(ordinary(100), ordinary(29), &options, "only 29 samples after");
	refused(ordinary(1), ordinary(100), &options, "only 1 sample before");
	options.per = DIFF_PER_RUN;
	other = ordinary(100);
	other->facts.period_ns = 0;
	refused(ordinary(100), other, &options, "--per samples");
	options = (struct diff_options){.by = TABLE_BY_FUNCTION, .function = "("};
	refused(ordinary(100), ordinary(100), &options, "--function");
}

static void test_runs_of_a_side_are_of_one_period(void **state)
{
	const struct diff_options options = {.by = TABLE_BY_FUNCTION};
	struct profile *runs[] = {ordinary(100), ordinary(100), ordinary(100), ordinary(100)};
	const struct diff_profiles sides[DIFF_SIDES] = {{runs, 2}, {runs + 2, 2}};
	struct error error = {""};
	struct diff *diff = NULL;

	/* The sides may have one each. */
	runs[2]->facts.period_ns = runs[3]->facts.period_ns = 2003;
	assert_int_equal(diff_build(sides, &options, &diff, &error), 0);
	(void)diff_free(diff);
	/* The mean that was had is not what was asked for. */
	runs[3]->facts.asked_ns = 2003, runs[3]->facts.period_ns = 2001;
	assert_int_equal(diff_build(sides, &options, &diff, &error), 0);
	(void)diff_free(diff);
	runs[3]->facts.asked_ns = 2001;
	assert_int_equal(diff_build(sides, &options, &diff, &error), -EINVAL);
	assert_non_null(strstr(error.text, "runs after with periods of 2003 and 2001 ns"));
	for (size_t i = 0; i < 4; i++)
		(void)profile_free(runs[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares_and_changes),
		cmocka_unit_test(test_rows_that_did_not_change_tell_what_runs_do),
		cmocka_unit_test(test_time_of_a_run_and_of_work),
		cmocka_unit_test(test_runs_that_vary_are_no_change),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_runs_of_a_side_are_of_one_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
