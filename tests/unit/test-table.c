// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/table.h"

#include "sample.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct table *build(const struct profile *profile, enum table_by by, const char *object,
			   const char *function)
{
	const struct table_options options = {.by = by, .object = object, .function = function};
	struct table *table;
	struct error error;

	assert_int_equal(table_build(profile, &options, &table, &error), 0);
	return table;
}

static const struct table_row *find(const struct table *table, const char *name, const char *object)
{
	for (size_t i = 0; i < table->row_count; i++)
		if (!strcmp(table->rows[i].name, name) && !strcmp(table->rows[i].object, object))
			return &table->rows[i];
	fail_msg("no row %s of %s", name, object);
	return NULL;
}

static uint64_t sum(const struct table *table)
{
	uint64_t ticks = 0;

	for (size_t i = 0; i < table->row_count; i++)
		ticks += table->rows[i].ticks;
	return ticks;
}

/* In two tasks, each on a CPU and in a group of its own. */
static struct profile *split_by_all(void)
{
	struct profile *profile = sample_profile(true);

	sample_value(profile, "lifetime", "nanoseconds");
	for (uint32_t i = 0; i < profile->task_count; i++) {
		profile->tasks[i].cpu = i + 1;
		profile->tasks[i].cgroup = sample_string(profile, i ? "/a" : "/b");
	}
	return profile;
}

static void test_every_way_sums_to_the_profile(void **state)
{
	struct profile *profile = split_by_all();

	for (int by = 0; by < TABLE_BYS; by++) {
		struct table *table = build(profile, (enum table_by)by, NULL, NULL);

		assert_int_equal(sum(table), profile->facts.samples);
		assert_int_equal(table->total, profile->facts.samples);
		assert_int_equal(table->shown, profile->facts.samples);
		(void)table_free(table);
	}
	(void)profile_free(profile);
}

static void test_order_is_total(void **state)
{
	struct profile *profile = split_by_all();

	for (int by = 0; by < TABLE_BYS; by++) {
		struct table *table = build(profile, (enum table_by)by, NULL, NULL);

		for (size_t i = 1; i < table->row_count; i++) {
			const struct table_row *a = &table->rows[i - 1], *b = &table->rows[i];

			assert_true(a->ticks > b->ticks ||
				    (a->ticks == b->ticks && strcmp(a->name, b->name) <= 0));
		}
		(void)table_free(table);
	}
	(void)profile_free(profile);
}

static void test_function_is_the_symbol_tables(void **state)
{
	struct profile *profile = sample_profile(false);
	struct table *table = build(profile, TABLE_BY_FUNCTION, NULL, NULL);

	assert_int_equal(find(table, "lzma_mf_bt4_find", "liblzma.so.5")->ticks, 2087);
	/* 640 of these are in rc_shift_low, which was inlined. */
	assert_int_equal(find(table, "lzma_encode", "liblzma.so.5")->ticks, 850);
	assert_int_equal(table->part_count, 0);
	/* The same name in another object is another function. */
	assert_int_equal(find(table, "lzma_encode", "xz")->ticks, 100);
	assert_int_equal(find(table, "[overflow]", "liblzma.so.5")->ticks, 12);
	assert_int_equal(
		find(table, "[unresolved]: the memory map was being changed", "[unresolved]")
			->ticks,
		3);
	assert_int_equal(find(table, "libold.so+0x4010", "libold.so")->ticks, 30);
	(void)table_free(table);
	(void)profile_free(profile);
}

static void test_inlined_functions_are_parts(void **state)
{
	struct profile *profile = sample_profile(false);
	const struct table_options options = {.inlines = true};
	const struct table_row *row;
	struct table *table;
	struct error error;

	assert_int_equal(table_build(profile, &options, &table, &error), 0);
	row = find(table, "lzma_encode", "liblzma.so.5");
	assert_int_equal(row->ticks, 850);
	assert_int_equal(row->part_count, 1);
	assert_string_equal(table->parts[row->first_part].name, "rc_shift_low");
	assert_int_equal(table->parts[row->first_part].ticks, 640);
	assert_int_equal(find(table, "lzma_encode", "xz")->part_count, 0);
	assert_int_equal(table->part_count, 1);
	(void)table_free(table);
	(void)profile_free(profile);
}

static void test_lines_name_what_is_inlined(void **state)
{
	struct profile *profile = sample_profile(false);
	struct table *table = build(profile, TABLE_BY_LINE, NULL, NULL);

	assert_string_equal(find(table, "rc.h:70", "liblzma.so.5")->function, "lzma_encode");
	assert_string_equal(find(table, "rc.h:70", "liblzma.so.5")->inlined, "rc_shift_low");
	assert_string_equal(find(table, "enc.c:411", "liblzma.so.5")->inlined, "");
	(void)table_free(table);
	(void)profile_free(profile);
}

static void test_lines_addresses_objects(void **state)
{
	struct profile *profile = sample_profile(false);
	struct table *table = build(profile, TABLE_BY_LINE, NULL, NULL);

	assert_int_equal(find(table, "mf.c:521", "liblzma.so.5")->ticks, 2000);
	assert_string_equal(find(table, "mf.c:521", "liblzma.so.5")->function, "lzma_mf_bt4_find");
	assert_string_equal(find(table, "mf.c:521", "liblzma.so.5")->file, "src/lz/mf.c");
	assert_int_equal(find(table, "mf.c:521", "liblzma.so.5")->line, 521);
	assert_int_equal(find(table, "mf.c:530", "liblzma.so.5")->ticks, 87);
	assert_int_equal(find(table, "clear_page_erms", "[kernel]")->ticks, 191);
	(void)table_free(table);

	table = build(profile, TABLE_BY_ADDRESS, NULL, NULL);
	assert_int_equal(table->rows[0].address, 0x2010);
	assert_int_equal(table->rows[0].ticks, 2000);
	(void)table_free(table);

	/* Two text segments of a file are one object. */
	table = build(profile, TABLE_BY_OBJECT, NULL, NULL);
	assert_int_equal(find(table, "liblzma.so.5", "liblzma.so.5")->ticks, 2087 + 640 + 210 + 12);
	assert_string_equal(table->rows[0].path, "/lib/liblzma.so.5");
	(void)table_free(table);
	(void)profile_free(profile);
}

static void test_line_of_a_file_without_number(void **state)
{
	struct profile *profile = profile_new();
	struct table *table;

	sample_location(profile, LOCATION_ADDRESS,
			sample_mapping(profile, CLASS_PROGRAM, "/bin/a", "", 0), 0x10);
	sample_frame(profile, "main", "src/a.c", 0);
	sample_cell(profile, PROFILE_NO_TASK, 1);
	table = build(profile, TABLE_BY_LINE, NULL, NULL);
	assert_string_equal(table->rows[0].name, "a.c");
	assert_int_equal(table->rows[0].line, 0);
	(void)table_free(table);
	(void)profile_free(profile);
}

static void test_filters(void **state)
{
	struct profile *profile = sample_profile(false);
	struct table *table = build(profile, TABLE_BY_FUNCTION, "liblzma.so.5", NULL);

	assert_int_equal(table->shown, 2087 + 640 + 210 + 12);
	assert_int_equal(table->total, profile->facts.samples);
	(void)table_free(table);

	table = build(profile, TABLE_BY_FUNCTION, "/usr/bin/xz", "^lzma_(en|de)code$");
	assert_int_equal(table->row_count, 1);
	assert_int_equal(table->shown, 100);
	(void)table_free(table);

	table = build(profile, TABLE_BY_OBJECT, NULL, "libold\\.so\\+0x");
	assert_int_equal(table->shown, 30);
	(void)table_free(table);

	table = build(profile, TABLE_BY_FUNCTION, "nothing.so", NULL);
	assert_int_equal(table->row_count, 0);
	assert_int_equal(table->shown, 0);
	(void)table_free(table);
	(void)profile_free(profile);
}

static void test_tasks(void **state)
{
	struct profile *profile = sample_profile(true);
	struct table *table = build(profile, TABLE_BY_PROCESS, NULL, NULL);

	assert_int_equal(table->row_count, 2);
	assert_int_equal(table->rows[0].pid, 41);
	assert_string_equal(table->rows[0].name, "xz");
	assert_int_equal(table->rows[0].ticks, profile->facts.samples - 15);
	assert_string_equal(table->rows[1].name, "[no process]");
	(void)table_free(table);

	table = build(profile, TABLE_BY_THREAD, NULL, NULL);
	assert_int_equal(table->row_count, 3);
	assert_string_equal(table->rows[1].name, "worker");
	assert_int_equal(table->rows[1].tid, 43);
	assert_int_equal(table->rows[1].ticks, 800 + 87 + 6 + 1);
	(void)table_free(table);
	(void)profile_free(profile);
}

/* Two CPUs, each with work and without, and two groups; what the table makes of them by BY. */
static struct profile *machine(void)
{
	struct profile *profile = profile_new();
	uint32_t kernel = sample_mapping(profile, CLASS_KERNEL, "[kernel]", "", 0);
	uint32_t idle = sample_mapping(profile, CLASS_IDLE, "[idle]", "", 0);
	struct profile_task owners[] = {
		{.cpu = 1, .cgroup = sample_string(profile, "/")},
		{.cpu = 2, .cgroup = sample_string(profile, "/a.slice")},
		{.cpu = 1},
		{.cpu = 2},
	};
	uint32_t tasks[4];

	for (size_t i = 0; i < 4; i++)
		assert_int_equal(profile_add_task(profile, &owners[i], &tasks[i]), 0);
	sample_location(profile, LOCATION_ADDRESS, kernel, 0x40);
	sample_frame(profile, "memcpy", "", 0);
	sample_cell(profile, tasks[0], 16);
	sample_cell(profile, tasks[1], 8);
	sample_location(profile, LOCATION_ADDRESS, idle, 0);
	sample_cell(profile, tasks[2], 4);
	sample_cell(profile, tasks[3], 2);
	return profile;
}

static void expect_row(const struct table *table, size_t index, const char *name, uint32_t cpu,
		       const char *cgroup, uint64_t ticks)
{
	assert_string_equal(table->rows[index].name, name);
	assert_int_equal(table->rows[index].cpu, cpu);
	assert_string_equal(table->rows[index].cgroup, cgroup);
	assert_int_equal(table->rows[index].ticks, ticks);
}

static void test_cpus_and_groups(void **state)
{
	struct profile *profile = machine();
	struct table *table = build(profile, TABLE_BY_CPU, NULL, NULL);

	assert_int_equal(table->row_count, 4);
	expect_row(table, 0, "cpu 0", 1, "", 16);
	expect_row(table, 1, "cpu 1", 2, "", 8);
	expect_row(table, 2, "cpu 0 [idle]", 1, "", 4);
	expect_row(table, 3, "cpu 1 [idle]", 2, "", 2);
	(void)table_free(table);
	table = build(profile, TABLE_BY_CGROUP, NULL, NULL);
	assert_int_equal(table->row_count, 3);
	expect_row(table, 0, "/", 0, "/", 16);
	expect_row(table, 1, "/a.slice", 0, "/a.slice", 8);
	expect_row(table, 2, "[idle]", 0, "", 6);
	(void)table_free(table);
	table = build(profile, TABLE_BY_FUNCTION, NULL, NULL);
	assert_int_equal(table->row_count, 2);
	expect_row(table, 1, "[idle]", 0, "", 6);
	(void)table_free(table);
	(void)profile_free(profile);
}

/* What is idle is no thread's time: it is apart, by CPU, too. */
static void test_idle_beside_lives(void **state)
{
	struct profile *profile = machine();
	const struct table_options options = {.by = TABLE_BY_CPU, .lives = true};
	struct table *table;
	struct error error;

	profile->facts.period_ns = 1000;
	sample_value(profile, "lifetime", "nanoseconds");
	assert_int_equal(table_build(profile, &options, &table, &error), 0);
	expect_row(table, 0, "cpu 0", 1, "", 16);
	expect_row(table, 2, "cpu 0 [idle]", 1, "", 4);
	assert_int_equal(table->rows[0].own[LIFE_RUNNING], 16000);
	assert_int_equal(table->rows[0].idle, 0);
	assert_int_equal(table_time(table->rows[2].own), 0);
	assert_int_equal(table->rows[2].idle, 4000);
	assert_int_equal(table->idle, 6000);
	assert_int_equal(table_time(table->lives), 24000);
	(void)table_free(table);
	(void)profile_free(profile);
}

static void refuse(const struct profile *profile, const struct table_options *options,
		   const char *words)
{
	struct table *table = NULL;
	struct error error = {""};

	assert_int_equal(table_build(profile, options, &table, &error), -EINVAL);
	assert_non_null(strstr(error.text, words));
	assert_null(table);
}

static void test_refusals(void **state)
{
	struct profile *profile = sample_profile(false);

	/* The process of a JIT page is always kept: that is not "by process". */
	refuse(profile, &(struct table_options){.by = TABLE_BY_PROCESS}, "--by-process");
	refuse(profile, &(struct table_options){.by = TABLE_BY_THREAD}, "--by-thread");
	refuse(profile, &(struct table_options){.by = TABLE_BY_CPU}, "--by-cpu");
	refuse(profile, &(struct table_options){.by = TABLE_BY_CGROUP}, "--by-cgroup");
	refuse(profile, &(struct table_options){.function = "(x"}, "(x");
	(void)profile_free(profile);
}

static void test_empty_profile(void **state)
{
	struct profile *profile = profile_new();

	sample_value(profile, "lifetime", "nanoseconds");
	for (int by = 0; by < TABLE_BYS; by++) {
		struct table *table = build(profile, (enum table_by)by, NULL, NULL);

		assert_int_equal(table->row_count, 0);
		assert_int_equal(table->total, 0);
		(void)table_free(table);
	}
	(void)profile_free(profile);
}

static void test_names_of_the_ways(void **state)
{
	enum table_by by;

	for (int i = 0; i < TABLE_BYS; i++) {
		assert_int_equal(table_by_parse(table_by_name((enum table_by)i), &by), 0);
		assert_int_equal(by, i);
	}
	assert_int_equal(table_by_parse("functions", &by), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_way_sums_to_the_profile),
		cmocka_unit_test(test_order_is_total),
		cmocka_unit_test(test_function_is_the_symbol_tables),
		cmocka_unit_test(test_inlined_functions_are_parts),
		cmocka_unit_test(test_lines_name_what_is_inlined),
		cmocka_unit_test(test_lines_addresses_objects),
		cmocka_unit_test(test_line_of_a_file_without_number),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_cpus_and_groups),
		cmocka_unit_test(test_idle_beside_lives),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_empty_profile),
		cmocka_unit_test(test_names_of_the_ways),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
