// SPDX-License-Identifier: BSD-2-Clause
#include "view/compare.h"

#include "sample.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "golden.h"

/* What is said of DIFF is what expected/NAME has. */
static void expect(const char *name, const struct diff *diff, const struct compare_style *style)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(compare_print(out, diff, style), 0);
	assert_int_equal(fclose(out), 0);
	golden_check(name, text);
	free(text);
}

/* The sample, changed: one function faster, one inlined, one new, one moved to another file. */
static struct profile *changed_profile(void)
{
	struct profile *profile = sample_profile(false);
	uint32_t mapping = sample_mapping(profile, CLASS_LIBRARIES, "/lib/libnew.so", "", 0x2000);

	profile->cells[0].ticks -= 900;
	profile->facts.samples -= 900;
	for (size_t i = 0; i < profile->cell_count; i++)
		if (profile->cells[i].ticks == 191)
			profile->cells[i].ticks = 0, profile->facts.samples -= 191;
	sample_location(profile, LOCATION_ADDRESS, mapping, 0x2010);
	sample_frame(profile, "clear_page_erms", "", 0);
	sample_cell(profile, PROFILE_NO_TASK, 180);
	sample_location(profile, LOCATION_ADDRESS, mapping, 0x2020);
	sample_frame(profile, "a|new`one", "", 0);
	sample_cell(profile, PROFILE_NO_TASK, 40);
	profile->facts.cpu_ns = profile->facts.samples * profile->facts.period_ns;
	return profile;
}

static struct diff *build(const struct diff_options *options, size_t runs)
{
	struct profile *profiles[6];
	const struct diff_profiles sides[DIFF_SIDES] = {{profiles, runs}, {profiles + runs, runs}};
	struct error error = {""};
	struct diff *diff = NULL;

	for (size_t i = 0; i < 2 * runs; i++)
		profiles[i] = i < runs ? sample_profile(false) : changed_profile();
	for (size_t i = 0; i < 2 * runs; i++)
		profiles[i]->facts.cpu_ns += 1000000 * i;
	if (diff_build(sides, options, &diff, &error))
		fail_msg("%s", error.text);
	for (size_t i = 0; i < 2 * runs; i++)
		(void)profile_free(profiles[i]);
	return diff;
}

static void test_text(void **state)
{
	struct diff_options options = {.by = TABLE_BY_FUNCTION};
	struct compare_style style = {.page.utf8 = true, .files = {"old.pb.gz", "new.pb.gz"}};
	struct diff *diff = build(&options, 1);

	expect("diff-pipe.txt", diff, &style);
	style.page.width = 80;
	style.page.rows = 4;
	expect("diff-80.txt", diff, &style);
	style.page.color = true;
	style.page.width = 120;
	expect("diff-color.txt", diff, &style);
	(void)diff_free(diff);
}

static void test_runs_and_work(void **state)
{
	struct diff_options options = {.by = TABLE_BY_OBJECT, .per = DIFF_PER_RUN};
	struct compare_style style = {.files = {"old.pb.gz", "new.pb.gz"}, .unit = "request"};
	struct diff *diff = build(&options, 3);

	expect("diff-run.txt", diff, &style);
	(void)diff_free(diff);
	options = (struct diff_options){
		.by = TABLE_BY_LINE, .per = DIFF_PER_UNIT, .work = {1000, 2000}};
	diff = build(&options, 3);
	expect("diff-unit.txt", diff, &style);
	(void)diff_free(diff);
}

static void test_for_programs(void **state)
{
	struct diff_options options = {.by = TABLE_BY_FUNCTION};
	struct compare_style style = {
		.page.form = REPORT_JSON, .page.rows = 3, .files = {"old.pb.gz", "new.pb.gz"}};
	struct diff *diff = build(&options, 1);

	expect("diff.json", diff, &style);
	style.page.form = REPORT_CSV;
	expect("diff.csv", diff, &style);
	style.page.form = REPORT_MARKDOWN;
	style.page.rows = 0;
	style.page.utf8 = true;
	expect("diff.md", diff, &style);
	(void)diff_free(diff);
}

static void test_full_disk(void **state)
{
	struct diff_options options = {.by = TABLE_BY_FUNCTION};
	struct compare_style style = {.files = {"old.pb.gz", "new.pb.gz"}};
	struct diff *diff = build(&options, 1);
	FILE *out = fopen("/dev/full", "w");

	assert_non_null(out);
	assert_int_equal(compare_print(out, diff, &style), -EIO);
	assert_int_equal(errno, ENOSPC);
	(void)fclose(out);
	(void)diff_free(diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_runs_and_work),
		cmocka_unit_test(test_for_programs),
		cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
