// SPDX-License-Identifier: BSD-2-Clause
#include "profile/placed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Calls are placed as cells are, with whom they share places, and equal ones are one; a file that
 * only calls lead to is there as well. */
static void calls_find_their_places(void **state)
{
	struct histogram_file files[] = {
		{.path = "/nowhere/a.so", .identity = {1, 2, 3, 4}},
		{.path = "/nowhere/b.so", .identity = {1, 3, 3, 4}},
	};
	struct histogram_cell cells[] = {
		{.task = HISTOGRAM_NO_TASK, .address = 0x20, .ticks = 5},
		{.task = HISTOGRAM_NO_TASK, .address = 0x10},
		{.task = HISTOGRAM_NO_TASK, .address = 0x10, .file = 1},
	};
	struct histogram_call calls[] = {
		{.caller = cells[2], .callee = cells[0], .has_caller = true, .count = 3},
		{.caller = cells[1], .callee = cells[0], .has_caller = true, .count = 1},
		{.callee = cells[0], .count = 9},
		{.caller = cells[2], .callee = cells[0], .has_caller = true, .count = 4},
	};
	struct histogram histogram = {.files = files,
				      .file_count = 2,
				      .cells = cells,
				      .cell_count = 1,
				      .calls = calls,
				      .call_count = 4};
	const struct profile_call wanted[] = {{0, 1, 1}, {2, 1, 7}, {PROFILE_NO_CALLER, 1, 9}};
	struct profile *profile;

	assert_int_equal(profile_from_histogram(&histogram, &profile), 0);
	assert_int_equal(profile->location_count, 3);
	assert_int_equal(profile->cells[0].location, 1);
	assert_int_equal(profile->locations[1].address, 0x20);
	assert_string_equal(
		profile_text(profile, profile->mappings[profile->locations[2].mapping].path),
		"/nowhere/b.so");
	assert_int_equal(profile->call_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(profile->calls[i].caller, wanted[i].caller);
		assert_int_equal(profile->calls[i].callee, wanted[i].callee);
		assert_int_equal(profile->calls[i].count, wanted[i].count);
	}
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_find_their_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
