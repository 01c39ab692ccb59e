// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff.h"

#include "sample.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* ---- profiles of a few functions ---- */

static struct profile *make(const char *path, const char *build_id, enum profile_class class)
{
	struct profile *profile = profile_new();
	uint32_t mapping = sample_mapping(profile, class, path, "", 0x1000);

	profile->mappings[mapping].build_id = sample_string(profile, build_id);
	profile->facts.event = sample_string(profile, "cpu-clock");
	profile->facts.period_ns = 1000000;
	return profile;
}

static void add_mapping(struct profile *profile, const char *path, const char *build_id)
{
	uint32_t mapping = sample_mapping(profile, CLASS_LIBRARIES, path, "", 0x9000);

	profile->mappings[mapping].build_id = sample_string(profile, build_id);
}

/* Ticks in the newest mapping at ADDRESS, in FUNCTION, which is inlined into INTO where given. */
static void add(struct profile *profile, uint64_t address, const char *function, const char *into,
		uint64_t ticks)
{
	sample_location(profile, LOCATION_ADDRESS, (uint32_t)profile->mapping_count - 1, address);
	if (*function)
		sample_frame(profile, function, "src/a.c", (uint32_t)address);
	if (into)
		sample_frame(profile, into, "src/b.c", 7);
	sample_cell(profile, PROFILE_NO_TASK, ticks);
}

static struct diff *compare_as(struct profile *before, struct profile *after,
			       const struct diff_options *options)
{
	const struct diff_profiles sides[DIFF_SIDES] = {{&before, 1}, {&after, 1}};
	struct error error = {""};
	struct diff *diff = NULL;

	if (diff_build(sides, options, &diff, &error))
		fail_msg("%s", error.text);
	(void)profile_free(before);
	(void)profile_free(after);
	return diff;
}

static struct diff *compare(struct profile *before, struct profile *after)
{
	return compare_as(before, after, &(struct diff_options){.by = TABLE_BY_FUNCTION});
}

static const struct diff_row *find(const struct diff *diff, const char *name)
{
	const struct diff_row *found = NULL;

	for (size_t i = 0; i < diff->row_count; i++) {
		if (strcmp(diff->rows[i].name, name) != 0)
			continue;
		assert_null(found);
		found = &diff->rows[i];
	}
	if (!found)
		fail_msg("no row %s", name);
	return found;
}

static void near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9)
		fail_msg("%.12g is not %.12g", value, expected);
}

/* ---- numbers ---- */

static void test_shares_and_changes(void **state)
{
	struct profile *before = make("/bin/a", "c0de", CLASS_PROGRAM);
	struct profile *after = make("/bin/a", "c0de", CLASS_PROGRAM);
	const struct diff_row *row;
	struct diff *diff;

	add(before, 0x1010, "f", NULL, 200), add(before, 0x1020, "g", NULL, 800);
	add(after, 0x1010, "f", NULL, 600), add(after, 0x1020, "g", NULL, 1400);
	diff = compare(before, after);
	assert_int_equal(diff->row_count, 2);
	assert_int_equal(diff->compared, 2);
	row = find(diff, "f");
	near(row->parts[DIFF_BEFORE].value, 0.2);
	near(row->parts[DIFF_AFTER].value, 0.3);
	near(row->change, 0.1);
	/* Of two rows in one run each nobody knows what repeats would do. */
	assert_true(row->interval.low < 0.06 && row->interval.high > 0.14);
	assert_false(row->significant);
	assert_int_equal(row->match, DIFF_SAME);
	near(find(diff, "g")->change, -0.1);
	(void)diff_free(diff);
}

/* Twenty more functions, which have the same time on both sides. */
static void add_quiet(struct profile *before, struct profile *after)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "h", "i", "j", "k", "l",
					    "m", "n", "o", "p", "q", "r", "s", "t", "u", "v"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		add(before, 0x2000 + 0x10 * i, names[i], NULL, 500);
		add(after, 0x2000 + 0x10 * i, names[i], NULL, 500);
	}
}

static void test_rows_that_did_not_change_tell_what_runs_do(void **state)
{
	const enum profile_class classes[] = {CLASS_PROGRAM, CLASS_LIBRARIES, CLASS_KERNEL};

	for (size_t i = 0; i < 3; i++) {
		struct profile *before = make("/bin/a", "c0de", classes[i]);
		struct profile *after = make("/bin/a", "c0de", classes[i]);
		struct diff *diff;

		add(before, 0x1010, "f", NULL, 1000), add(after, 0x1010, "f", NULL, 2000);
		add_quiet(before, after);
		diff = compare(before, after);
		/* Of the kernel one run tells nothing. */
		assert_int_equal(find(diff, "f")->significant, classes[i] != CLASS_KERNEL);
		assert_false(find(diff, "h")->significant);
		(void)diff_free(diff);
	}
}

/* The same time in f, and more in g: f's share is less, its time is not. */
static void test_time_of_a_run_and_of_work(void **state)
{
	struct diff_options options = {.by = TABLE_BY_FUNCTION, .per = DIFF_PER_RUN};
	struct profile *before = make("/bin/a", "c0de", CLASS_PROGRAM);
	struct profile *after = make("/bin/a", "c0de", CLASS_PROGRAM);
	struct diff *diff;

	add(before, 0x1010, "f", NULL, 1000), add(before, 0x1020, "g", NULL, 1000);
	add(after, 0x1010, "f", NULL, 1000), add(after, 0x1020, "g", NULL, 2000);
	add_quiet(before, after);
	before->facts.cpu_ns = 12000000000;
	after->facts.cpu_ns = 13130000000;
	diff = compare_as(before, after, &options);
	near(diff->totals[DIFF_BEFORE].value, 12);
	near(diff->totals[DIFF_AFTER].value, 13.13);
	near(find(diff, "f")->change, 0.01);
	assert_false(find(diff, "f")->significant);
	assert_true(find(diff, "g")->significant);
	(void)diff_free(diff);

	options.per = DIFF_PER_UNIT;
	options.work[DIFF_BEFORE] = 10, options.work[DIFF_AFTER] = 20;
	before = make("/bin/a", "c0de", CLASS_PROGRAM);
	after = make("/bin/a", "c0de", CLASS_PROGRAM);
	add(before, 0x1010, "f", NULL, 1000), add(before, 0x1020, "g", NULL, 1000);
	add(after, 0x1010, "f", NULL, 1000), add(after, 0x1020, "g", NULL, 2000);
	diff = compare_as(before, after, &options);
	near(find(diff, "f")->parts[DIFF_BEFORE].value, 0.1);
	near(find(diff, "f")->parts[DIFF_AFTER].value, 0.05);
	near(find(diff, "g")->change, 0);
	(void)diff_free(diff);
}

/* ---- what is one thing ---- */

static void test_another_build_is_matched_by_name(void **state)
{
	struct profile *before = make("/opt/v1/prog", "c0de", CLASS_PROGRAM);
	struct profile *after = make("/opt/v2/prog-new", "feed", CLASS_PROGRAM);
	struct diff *diff;

	add(before, 0x1010, "f", NULL, 100), add(before, 0x1040, "prog+0x1040", NULL, 50);
	add_mapping(before, "/lib/libz.so.1.2.13", "aa");
	add(before, 0x9010, "inflate", NULL, 20);
	add(after, 0x1810, "f", NULL, 100), add(after, 0x1040, "prog+0x1040", NULL, 50);
	add_mapping(after, "/usr/lib/libz.so.1.3", "bb");
	add(after, 0x9910, "inflate", NULL, 20);
	diff = compare(before, after);
	/* An address of one build is nothing in another. */
	assert_int_equal(diff->row_count, 4);
	assert_int_equal(find(diff, "f")->match, DIFF_NAMED);
	assert_string_equal(find(diff, "f")->object, "prog-new");
	assert_int_equal(find(diff, "inflate")->match, DIFF_NAMED);
	near(find(diff, "inflate")->change, 0);
	(void)diff_free(diff);
}

static void test_one_build_is_matched_by_address(void **state)
{
	struct profile *before = make("/opt/lib.so", "c0de", CLASS_LIBRARIES);
	struct profile *after = make("/lib/lib.so.2", "c0de", CLASS_LIBRARIES);
	struct diff *diff;

	add(before, 0x1010, "lib.so+0x1010", NULL, 60), add(before, 0x1030, "", NULL, 40);
	add(after, 0x1010, "f", NULL, 60), add(after, 0x1030, "g", NULL, 40);
	diff = compare(before, after);
	assert_int_equal(diff->row_count, 2);
	assert_int_equal(find(diff, "f")->match, DIFF_SAME);
	near(find(diff, "g")->change, 0);
	(void)diff_free(diff);
}

static void test_new_gone_and_moved(void **state)
{
	struct profile *before = make("/bin/a", "c0de", CLASS_PROGRAM);
	struct profile *after = make("/bin/a", "feed", CLASS_PROGRAM);
	struct diff *diff;

	add(before, 0x1010, "stays", NULL, 100), add(before, 0x1020, "goes", NULL, 50);
	add(before, 0x1030, "moves", NULL, 30), add(before, 0x1040, "seldom", NULL, 2);
	add(after, 0x1010, "stays", NULL, 100), add(after, 0x1020, "comes", NULL, 50);
	add_mapping(after, "/lib/libb.so", "bb");
	add(after, 0x9010, "moves", NULL, 30), add(after, 0x9020, "seldom", NULL, 2);
	diff = compare(before, after);
	assert_int_equal(find(diff, "goes")->match, DIFF_GONE);
	assert_int_equal(find(diff, "comes")->match, DIFF_NEW);
	assert_int_equal(find(diff, "moves")->match, DIFF_MOVED);
	assert_string_equal(find(diff, "moves")->moved_from, "a");
	assert_string_equal(find(diff, "moves")->object, "libb.so");
	near(find(diff, "moves")->change, 0);
	/* Twice "seldom": two ticks are no proof of a move. */
	assert_int_equal(diff->row_count, 6);
	(void)diff_free(diff);
}

static void test_inlining_by_line(void **state)
{
	struct diff_options options = {.by = TABLE_BY_LINE};
	struct profile *before = make("/bin/a", "c0de", CLASS_PROGRAM);
	struct profile *after = make("/bin/a", "feed", CLASS_PROGRAM);
	const struct diff_row *row;
	struct diff *diff;

	add(before, 40, "hot", NULL, 100);
	add(after, 40, "hot", "loop", 60), add(after, 40, "hot", "main", 40);
	diff = compare_as(before, after, &options);
	row = find(diff, "a.c:40");
	assert_string_equal(row->function, "hot");
	assert_int_equal(row->parts[DIFF_BEFORE].inlined, 0);
	assert_int_equal(row->parts[DIFF_AFTER].inlined, 100);
	assert_string_equal(row->parts[DIFF_AFTER].into, "loop");
	(void)diff_free(diff);
}

static void test_anonymous_code_of_another_process(void **state)
{
	struct profile *before = make("[anon] node (70)", "", CLASS_ANONYMOUS);
	struct profile *after = make("[anon] node (99)", "", CLASS_ANONYMOUS);
	struct diff *diff;

	add(before, 0x1010, "jit", NULL, 100), add(after, 0x7010, "jit", NULL, 100);
	diff = compare(before, after);
	assert_int_equal(diff->row_count, 1);
	assert_string_equal(diff->rows[0].object, "[anon] node");
	(void)diff_free(diff);
}

static void test_filters_leave_shares_of_all(void **state)
{
	struct diff_options options = {.by = TABLE_BY_FUNCTION, .function = "^f$"};
	struct profile *before = make("/bin/a", "c0de", CLASS_PROGRAM);
	struct profile *after = make("/bin/a", "c0de", CLASS_PROGRAM);
	struct diff *diff;

	add(before, 0x1010, "f", NULL, 20), add(before, 0x1020, "ff", NULL, 80);
	add(after, 0x1010, "f", NULL, 30), add(after, 0x1020, "ff", NULL, 70);
	diff = compare_as(before, after, &options);
	assert_int_equal(diff->row_count, 1);
	near(diff->rows[0].parts[DIFF_AFTER].value, 0.3);
	assert_int_equal(diff->compared, 1);
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
		profiles[i] = make("/bin/a", "c0de", CLASS_PROGRAM);
		add(profiles[i], 0x1010, "f", NULL, ticks[i]);
		add(profiles[i], 0x1020, "g", NULL, 1000 - ticks[i]);
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
	assert_false(find(diff, "f")->significant);
	assert_true(diff->rows[0].interval.low < 0 && diff->rows[0].interval.high > 0);
	(void)diff_free(diff);
	diff = compare_runs(calm, 3);
	assert_true(find(diff, "f")->significant);
	assert_true(diff->rows[0].interval.high - diff->rows[0].interval.low < width / 3);
	near(fabs(diff->rows[0].change), 0.1);
	(void)diff_free(diff);
}

static void test_too_much(void **state)
{
	const uint64_t calm[] = {198, 200, 202, 298, 300, 302};
	struct diff *diff = compare_runs(calm, 3);
	const struct diff_row *row;

	assert_true(diff_exceeds(diff, 0.09, &row));
	assert_string_equal(row->name, "f");
	assert_false(diff_exceeds(diff, 0.11, &row));
	(void)diff_free(diff);
}

/* ---- what is refused ---- */

static void refused(struct profile *before, struct profile *after,
		    const struct diff_options *options, const char *words)
{
	const struct diff_profiles sides[DIFF_SIDES] = {{&before, 1}, {&after, 1}};
	struct error error = {""};
	struct diff *diff = NULL;

	assert_int_equal(diff_build(sides, options, &diff, &error), -EINVAL);
	if (!strstr(error.text, words))
		fail_msg("'%s' is not in '%s'", words, error.text);
	assert_null(diff);
	(void)profile_free(before);
	(void)profile_free(after);
}

static struct profile *ordinary(uint64_t ticks)
{
	struct profile *profile = make("/bin/a", "c0de", CLASS_PROGRAM);

	add(profile, 0x1010, "f", NULL, ticks);
	return profile;
}

static void test_refusals(void **state)
{
	struct diff_options options = {.by = TABLE_BY_FUNCTION};
	struct profile *other = ordinary(100);

	other->facts.event = sample_string(other, "cycles");
	refused(ordinary(100), other, &options, "'cpu-clock' and of 'cycles'");
	refused(ordinary(100), ordinary(29), &options, "only 29 ticks after");
	refused(ordinary(1), ordinary(100), &options, "only 1 tick before");
	options.per = DIFF_PER_RUN;
	other = ordinary(100);
	other->facts.period_ns = 0;
	refused(ordinary(100), other, &options, "--per ticks");
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
		cmocka_unit_test(test_another_build_is_matched_by_name),
		cmocka_unit_test(test_one_build_is_matched_by_address),
		cmocka_unit_test(test_new_gone_and_moved),
		cmocka_unit_test(test_inlining_by_line),
		cmocka_unit_test(test_anonymous_code_of_another_process),
		cmocka_unit_test(test_filters_leave_shares_of_all),
		cmocka_unit_test(test_runs_that_vary_are_no_change),
		cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_runs_of_a_side_are_of_one_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
