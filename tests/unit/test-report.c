// SPDX-License-Identifier: BSD-2-Clause
#include "view/report.h"

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

/* The report on PROFILE is what expected/NAME has. */
static void expect(const char *name, const struct profile *profile,
		   const struct table_options *options, const struct report_style *style)
{
	struct table *table;
	struct error error;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(table_build(profile, options, &table, &error), 0);
	assert_int_equal(report_print(out, profile, table, style), 0);
	assert_int_equal(fclose(out), 0);
	golden_check(name, text);
	free(text);
	(void)table_free(table);
}

static void test_text(void **state)
{
	struct profile *profile = sample_profile(true);
	struct table_options options = {.by = TABLE_BY_FUNCTION};
	struct report_style style = {.utf8 = true, .file = PROFILE_USUAL};

	expect("report-pipe.txt", profile, &options, &style);
	style.width = 100;
	style.rows = 4;
	expect("report-100.txt", profile, &options, &style);
	style.color = true;
	expect("report-color.txt", profile, &options, &style);
	style.color = style.utf8 = false;
	style.width = 60;
	expect("report-ascii-60.txt", profile, &options, &style);
	(void)profile_free(profile);
}

static void test_text_by(void **state)
{
	struct profile *profile = sample_profile(true);
	struct report_style style = {.utf8 = true, .width = 120};
	char name[64];

	for (uint32_t i = 0; i < profile->task_count; i++) {
		profile->tasks[i].cpu = i + 1;
		profile->tasks[i].cgroup = sample_string(profile, i ? "/a.slice" : "/b.slice");
	}
	/* Reasons are those of --wall alone. */
	for (int by = TABLE_BY_LINE; by < TABLE_BY_REASON; by++) {
		struct table_options options = {.by = (enum table_by)by};

		(void)snprintf(name, sizeof(name), "report-by-%s.txt", table_by_name(options.by));
		expect(name, profile, &options, &style);
	}
	(void)profile_free(profile);
}

/* A machine on which little ran, and which has fewer ticks than were due. */
static void test_idle(void **state)
{
	struct profile *profile = profile_new();
	struct report_style style = {.utf8 = true};

	sample_location(profile, LOCATION_ADDRESS,
			sample_mapping(profile, CLASS_KERNEL, "[kernel]", "", 0), 0x10);
	sample_frame(profile, "memcpy", "", 0);
	sample_cell(profile, PROFILE_NO_TASK, 250);
	sample_location(profile, LOCATION_ADDRESS,
			sample_mapping(profile, CLASS_IDLE, "[idle]", "", 0), 0);
	sample_cell(profile, PROFILE_NO_TASK, 1500);
	profile->facts.command = sample_string(profile, "the whole machine");
	profile->facts.period_ns = 1000003;
	profile->facts.cpu_ns = 250000000;
	profile->facts.machine_ns = 2000000000;
	profile->facts.idle_ns = 1740000000;
	expect("report-idle.txt", profile, &(struct table_options){0}, &style);
	(void)profile_free(profile);
}

/* A JVM that wrote no map. */
static void test_generated(void **state)
{
	struct profile *profile = profile_new();
	struct report_style style = {.utf8 = true};

	sample_location(profile, LOCATION_ADDRESS,
			sample_mapping(profile, CLASS_ANONYMOUS, "[anon] java (12)", "", 0x1000),
			0x1010);
	sample_frame(profile, "[anon]+0x1010", "", 0);
	sample_cell(profile, PROFILE_NO_TASK, 1500);
	sample_location(profile, LOCATION_ADDRESS,
			sample_mapping(profile, CLASS_LIBRARIES, "/lib/libjvm.so", "", 0), 0x10);
	sample_frame(profile, "G1ParScanThreadState::trim_queue", "", 0);
	sample_cell(profile, PROFILE_NO_TASK, 500);
	profile->facts.command = sample_string(profile, "java Work");
	expect("report-generated.txt", profile, &(struct table_options){0}, &style);
	style.form = REPORT_JSON;
	expect("report-generated.json", profile, &(struct table_options){0}, &style);
	(void)profile_free(profile);
}

static void test_few_ticks(void **state)
{
	struct profile *profile = profile_new();
	struct report_style style = {.utf8 = true};

	sample_location(profile, LOCATION_ADDRESS,
			sample_mapping(profile, CLASS_PROGRAM, "/bin/true", "", 0), 0x10);
	sample_frame(profile, "main", "true.c", 3);
	sample_cell(profile, PROFILE_NO_TASK, 8);
	expect("report-few.txt", profile, &(struct table_options){0}, &style);
	(void)profile_free(profile);
}

static void test_no_ticks(void **state)
{
	struct profile *profile = profile_new();
	struct report_style style = {.utf8 = true};

	expect("report-none.txt", profile, &(struct table_options){0}, &style);
	style.form = REPORT_JSON;
	expect("report-none.json", profile, &(struct table_options){0}, &style);

	/* None came, of a hundred that were due: that is no chance. */
	style.form = REPORT_TEXT;
	profile->facts.period_ns = 1000000;
	profile->facts.cpu_ns = profile->facts.remainder_ns = 100000000;
	expect("report-unseen.txt", profile, &(struct table_options){0}, &style);
	(void)profile_free(profile);
}

/* What the report says of TICKS that came at PERIOD_NS for so much CPU time. */
static void expect_why(uint64_t ticks, uint64_t period_ns, uint64_t cpu_ns, uint64_t stolen_ns,
		       const char *says)
{
	struct profile *profile = profile_new();
	struct report_style style = {.utf8 = true};
	struct table *table = NULL;
	struct error error;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	sample_location(profile, LOCATION_ADDRESS,
			sample_mapping(profile, CLASS_PROGRAM, "/bin/true", "", 0), 0x10);
	sample_frame(profile, "main", "true.c", 3);
	sample_cell(profile, PROFILE_NO_TASK, ticks);
	profile->facts.period_ns = period_ns;
	profile->facts.cpu_ns = cpu_ns;
	profile->facts.stolen_ns = stolen_ns;
	assert_int_equal(table_build(profile, &(struct table_options){0}, &table, &error), 0);
	assert_int_equal(report_print(out, profile, table, &style), 0);
	assert_int_equal(fclose(out), 0);
	if (!strstr(text, says))
		fail_msg("does not say '%s': %s", says, text);
	assert_int_equal(!strstr(text, "by chance"), !strstr(says, "by chance"));
	free(text);
	table_free(table);
	(void)profile_free(profile);
}

/* Chance is named only for what it does once in twenty (1.96 roots), else what was measured. */
static void test_why_ticks_are_off(void **state)
{
	const uint64_t ms = 1000000;

	expect_why(940, ms, 1000 * ms, 0,
		   "6.0 % less than was consumed: so few samples may differ by chance");
	expect_why(930, ms, 1000 * ms, 0,
		   "7.0 % less than was consumed: not explained: 70 samples");
	expect_why(5599, ms, 5808 * ms, 0,
		   "3.6 % less than was consumed: not explained: 209 samples");
	expect_why(9000, ms, 10000 * ms, 1200 * ms, ": 1.200 s stolen by the host (steal time)\n");
	expect_why(9000, ms, 10000 * ms, 400 * ms,
		   ": 0.400 s stolen by the host (steal time): not explained: 600 samples\n");
	expect_why(11000, ms, 10000 * ms, 0,
		   "10.0 % more than was consumed: not explained: 1,000 samples");
	expect_why(70000, ms / 100, 1000 * ms, 10 * ms,
		   ": 70,000 Hz of 100,000 Hz reached: 0.010 s stolen by the host (steal time): "
		   "not explained: 29,000 samples\n");
	expect_why(70000, ms / 100, 1000 * ms, 0,
		   ": 70,000 Hz of 100,000 Hz reached: not explained: 30,000 samples\n");
}

static void test_every_warning(void **state)
{
	struct profile *profile = sample_profile(false);
	struct report_style style = {.utf8 = true, .rows = 1};
	struct table_options options = {.object = "xz"};

	profile->facts.samples += 5;
	profile->facts.cpu_ns += 500000000;
	profile->facts.remainder_ns = 400000000;
	profile->facts.not_followed = 1;
	profile->facts.unknown_python = sample_string(profile, "Python\x1b[31m 3.14");
	profile->facts.partial = true;
	expect("report-warnings.txt", profile, &options, &style);
	(void)profile_free(profile);
}

static void test_for_programs(void **state)
{
	struct profile *profile = sample_profile(true);
	struct table_options options = {.by = TABLE_BY_LINE};
	struct report_style style = {.form = REPORT_JSON};

	expect("report.json", profile, &options, &style);
	style.form = REPORT_CSV;
	expect("report.csv", profile, &options, &style);
	style.form = REPORT_MARKDOWN;
	style.rows = 4;
	style.utf8 = true;
	expect("report.md", profile, &options, &style);
	(void)profile_free(profile);
}

static void test_full_disk(void **state)
{
	struct profile *profile = sample_profile(true);
	struct report_style style = {.utf8 = true};
	FILE *out = fopen("/dev/full", "w");
	struct table *table;
	struct error error;

	assert_non_null(out);
	assert_int_equal(table_build(profile, &(struct table_options){0}, &table, &error), 0);
	assert_int_equal(report_print(out, profile, table, &style), -EIO);
	assert_int_equal(errno, ENOSPC);
	(void)fclose(out);
	(void)table_free(table);
	(void)profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),	      cmocka_unit_test(test_text_by),
		cmocka_unit_test(test_idle),	      cmocka_unit_test(test_generated),
		cmocka_unit_test(test_few_ticks),     cmocka_unit_test(test_no_ticks),
		cmocka_unit_test(test_every_warning), cmocka_unit_test(test_why_ticks_are_off),
		cmocka_unit_test(test_for_programs),  cmocka_unit_test(test_full_disk),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
