// SPDX-License-Identifier: BSD-2-Clause
#include "profile/main_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"

/* A profile of the mappings PATHS ("" at the end; a '+' before a program), each with TICKS in one
 * cell, none for 0. */
static struct profile *make(const char *command, const char *const *paths, const uint64_t *ticks)
{
	struct profile *profile = profile_new();
	uint32_t index;

	assert_non_null(profile);
	assert_int_equal(profile_string(profile, command, &profile->facts.command), 0);
	for (uint32_t i = 0; *paths[i]; i++) {
		bool is_program = *paths[i] == '+';
		struct profile_mapping mapping = {.class = is_program ? CLASS_PROGRAM
								      : CLASS_LIBRARIES};
		struct profile_location location = {.mapping = i, .address = i};
		struct profile_cell cell = {.task = PROFILE_NO_TASK, .ticks = ticks[i]};

		assert_int_equal(profile_string(profile, paths[i] + is_program, &mapping.path), 0);
		assert_int_equal(profile_add_mapping(profile, &mapping, &index), 0);
		if (!ticks[i])
			continue;
		assert_int_equal(profile_add_location(profile, &location, &cell.location), 0);
		assert_int_equal(profile_add_cell(profile, &cell), 0);
	}
	return profile;
}

static const struct {
	const char *command;
	const char *paths[5];
	uint64_t ticks[4];
	const char *first;
} asked[] = {
	{"./a 1", {"/lib/ld.so", "+/a", "/lib/libc.so", ""}, {9, 0, 5}, "/a"},
	{"./b", {"+/a", "+/b", "/lib/libc.so", ""}, {9, 1, 5}, "/b"},
	{"b", {"+/a", "+/b", "/lib/libc.so", ""}, {9, 0, 5}, "/b"},
	{"./ab", {"+/a", "+/b", ""}, {3, 4}, "/b"},
	{"", {"+/a", "+/b", "+/c", ""}, {3, 4, 4}, "/b"},
	{"", {"+/b", "+/a", ""}, {3, 3}, "/b"},
	{"a", {"/lib/ld.so", "/lib/libc.so", ""}, {1, 2}, "/lib/ld.so"},
	{"a", {""}, {0}, ""},
};

static void the_main_program_comes_first(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(asked); i++) {
		struct profile *profile = make(asked[i].command, asked[i].paths, asked[i].ticks);

		assert_int_equal(main_program_first(profile), 0);
		if (profile->mapping_count)
			assert_string_equal(profile_text(profile, profile->mappings[0].path),
					    asked[i].first);
		/* Every cell is where it was. */
		for (size_t k = 0; k < profile->location_count; k++) {
			const struct profile_location *location = &profile->locations[k];
			const char *was = asked[i].paths[location->address];

			assert_string_equal(
				profile_text(profile, profile->mappings[location->mapping].path),
				was + (*was == '+'));
		}
		profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_main_program_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
