// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/save.h"

#include "base/array.h"
#include "profile/pprof.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "scratch.h"

#include <string.h>

/* All ticks of an account are in the file, whatever became of them. */

static const struct scale_rule rule;
static uint8_t narrow[4];
static uint16_t bin[1];

/* This program's text, four cells of a byte, and the bin for all else. */
static struct region_table *new_table(void)
{
	struct region regions[] = {
		{.offset = (uintptr_t)new_table,
		 .cells = narrow,
		 .count = ARRAY_LENGTH(narrow),
		 .granule = 16,
		 .width = 1},
		{.cells = bin,
		 .count = 1,
		 .scale = 2,
		 .width = 2,
		 .full = CELL_SATURATES,
		 .catch_all = true,
		 .rule = &rule},
	};
	struct region_table *table;

	assert_int_equal(region_table_new(regions, ARRAY_LENGTH(regions), &table), 0);
	return table;
}

static void assert_saved(const struct inside_account *account,
			 const uint64_t unresolved[UNRESOLVED_REASONS], uint64_t program)
{
	struct region_table *table = new_table();
	struct save_job job = {
		.table = table, .account = *account, .engine = "timer", .period_ns = 1000003};
	struct profile_account found;
	const char *path = scratch("saved.pb.gz");
	struct profile *profile;

	assert_int_equal(profil_save_write(&job, path), 0);
	assert_int_equal(pprof_read(path, &profile, NULL), 0);
	profile_account(profile, &found);
	for (int i = 0; i < UNRESOLVED_REASONS; i++)
		assert_int_equal(found.unresolved[i], unresolved[i]);
	assert_int_equal(found.ticks[CLASS_PROGRAM], program);
	assert_int_equal(found.total, profile->facts.samples);
	assert_int_equal(found.total, program + found.ticks[CLASS_UNRESOLVED]);
	assert_int_equal(profile->facts.period_ns, 1000003);
	profile_free(profile);
	region_table_free(table);
}

static void set_cells(uint8_t first, uint8_t last, uint16_t in_bin)
{
	memset(narrow, 0, sizeof(narrow));
	narrow[0] = first;
	narrow[3] = last;
	bin[0] = in_bin;
}

static void every_tick_has_its_reason(void **state)
{
	const struct inside_account account = {.ticks = 5 + 200 + 7 + 11 + 13,
					       .counted = 205,
					       .outside = 7,
					       .saturated = 11,
					       .lost = 13};
	const uint64_t unresolved[UNRESOLVED_REASONS] = {
		[UNRESOLVED_NO_REGION] = 7,
		[UNRESOLVED_CELL_FULL] = 11,
		[UNRESOLVED_LOST] = 13,
		[UNRESOLVED_OVERFLOW_BIN] = 150,
	};

	set_cells(5, 50, 150);
	assert_saved(&account, unresolved, 55);
}

/* 260 ticks went into a cell that holds 4 of them now. */
static void what_wrapped_is_not_lost(void **state)
{
	const struct inside_account account = {.ticks = 260, .counted = 260};
	const uint64_t unresolved[UNRESOLVED_REASONS] = {[UNRESOLVED_CELL_FULL] = 256};

	set_cells(4, 0, 0);
	assert_saved(&account, unresolved, 4);
}

/* A tick of weight 9 found room for 4: the account has it as saturated, the cell as 4 more. */
static void a_part_is_counted_once(void **state)
{
	const struct inside_account account = {.ticks = 260, .counted = 251, .saturated = 9};
	const uint64_t unresolved[UNRESOLVED_REASONS] = {[UNRESOLVED_CELL_FULL] = 5};

	set_cells(255, 0, 0);
	assert_saved(&account, unresolved, 255);
}

/* The cells held 90 before, or went on by as many since the account was read. */
static void what_cells_held_before_is_in_it(void **state)
{
	const struct inside_account account = {.ticks = 12, .counted = 10, .outside = 2};
	const uint64_t unresolved[UNRESOLVED_REASONS] = {[UNRESOLVED_NO_REGION] = 2};

	set_cells(60, 40, 0);
	assert_saved(&account, unresolved, 100);
}

static void nothing_is_a_file_too(void **state)
{
	const struct inside_account account = {};
	const uint64_t unresolved[UNRESOLVED_REASONS] = {};

	set_cells(0, 0, 0);
	assert_saved(&account, unresolved, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_tick_has_its_reason),
		cmocka_unit_test(what_wrapped_is_not_lost),
		cmocka_unit_test(a_part_is_counted_once),
		cmocka_unit_test(what_cells_held_before_is_in_it),
		cmocka_unit_test(nothing_is_a_file_too),
	};

	return cmocka_run_group_tests_name("saver", tests, scratch_make, scratch_remove);
}
