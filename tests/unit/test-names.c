// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/names.h"

#include "base/array.h"
#include "sample.h"
#include "symbol/source.h"

#include <limits.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* The names of this very program, whose functions are known. */

__attribute__((noinline)) void names_first_function(void);
__attribute__((noinline)) void names_second_function(void);

void names_first_function(void)
{
	__asm__ volatile("nop");
}

void names_second_function(void)
{
	__asm__ volatile("nop; nop");
}

static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
	*(uint64_t *)base = info->dlpi_addr;
	return 1; /* the first one is the program */
}

static uint64_t file_address(void function(void))
{
	uint64_t base = 0;

	(void)dl_iterate_phdr(take_base, &base);
	return (uint64_t)(uintptr_t)function - base;
}

static const char *name_of(const struct profile *profile, size_t location)
{
	const struct profile_location *named = &profile->locations[location];
	const struct profile_line *line = &profile->lines[named->first_line];

	assert_true(named->line_count > 0);
	return profile_text(profile, profile->functions[line->function].name);
}

static void add(struct profile *profile, enum location_kind kind, uint32_t mapping,
		uint64_t address)
{
	sample_location(profile, kind, mapping, address);
	sample_cell(profile, PROFILE_NO_TASK, 1);
}

static void resolve(struct profile *profile)
{
	struct symbols *symbols;
	struct error error;

	assert_int_equal(symbols_open(&(struct symbols_options){0}, &symbols, &error), 0);
	assert_int_equal(names_resolve(profile, symbols), 0);
	(void)symbols_close(symbols);
}

static void test_names_of_this_program(void **state)
{
	struct profile *profile = profile_new();
	char path[PATH_MAX] = "";
	uint32_t self, old, none;

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	self = sample_mapping(profile, CLASS_PROGRAM, path, "", 0);
	old = sample_mapping(profile, CLASS_PROGRAM, path, "changed since", 0);
	none = sample_mapping(profile, CLASS_UNRESOLVED, "[unresolved]", "", 0);
	/* Not in the order of their addresses, and one of them twice. */
	add(profile, LOCATION_ADDRESS, self, file_address(names_second_function));
	add(profile, LOCATION_UNRESOLVED, none, UNRESOLVED_NO_MAPPING);
	add(profile, LOCATION_ADDRESS, self, file_address(names_first_function));
	add(profile, LOCATION_ADDRESS, old, 0x1234);
	add(profile, LOCATION_OVERFLOW, self, 0);
	add(profile, LOCATION_ADDRESS, self, file_address(names_first_function));
	resolve(profile);

	assert_string_equal(name_of(profile, 0), "names_second_function");
	assert_string_equal(name_of(profile, 1), "[unresolved]: no mapping at the program counter");
	assert_string_equal(name_of(profile, 2), "names_first_function");
	assert_string_equal(name_of(profile, 3), "test-names+0x1234");
	assert_string_equal(name_of(profile, 4), "[overflow]");
	/* One function, however many locations are in it. */
	assert_int_equal(profile->lines[profile->locations[2].first_line].function,
			 profile->lines[profile->locations[5].first_line].function);
	(void)profile_free(profile);
}

static void test_names_that_are_there_stay(void **state)
{
	struct profile *profile = sample_profile(false);
	size_t lines = profile->line_count, nameless = 0;

	for (size_t i = 0; i < profile->location_count; i++)
		nameless += !profile->locations[i].line_count;
	resolve(profile);
	assert_int_equal(profile->line_count, lines + nameless);
	assert_string_equal(name_of(profile, 0), "lzma_mf_bt4_find");
	resolve(profile);
	assert_int_equal(profile->line_count, lines + nameless);
	(void)profile_free(profile);
}

static void test_objects(void **state)
{
	struct profile *profile = profile_new();

	assert_string_equal(
		names_object(profile, sample_mapping(profile, CLASS_PROGRAM, "/a/b/c", "", 0)),
		"c");
	assert_string_equal(
		names_object(profile, sample_mapping(profile, CLASS_KERNEL, "[kernel]", "", 0)),
		"[kernel]");
	assert_string_equal(
		names_object(profile, sample_mapping(profile, CLASS_PROGRAM, "", "", 0)),
		"[unknown]");
	assert_string_equal(
		names_object(profile, sample_mapping(profile, CLASS_PROGRAM, "odd/", "", 0)),
		"odd/");
	(void)profile_free(profile);
}

static void write_map(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* By what process 4242 has written of its code. */
static void resolve_generated(struct profile *profile, const char *map)
{
	char folder[] = "/tmp/profil-names-XXXXXX", path[PATH_MAX];
	struct symbols *symbols;
	struct error error;

	assert_non_null(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/perf-4242.map", folder);
	write_map(path, map);
	assert_int_equal(symbols_open(&(struct symbols_options){0}, &symbols, &error), 0);
	symbols->perfmap_folder = folder;
	assert_int_equal(names_resolve(profile, symbols), 0);
	(void)symbols_close(symbols);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

/* Most calls are where no tick fell: their process is known by the mapping alone. */
static void test_names_of_callers_made_at_run_time(void **state)
{
	struct profile *profile = profile_new();
	struct profile_context context = {0};
	uint32_t index;

	index = sample_mapping(profile, CLASS_ANONYMOUS, "[anon] a (b) (4242)", "", 0);
	sample_location(profile, LOCATION_ADDRESS, index, 0x1008);
	assert_int_equal(profile_add_context(profile, &context, &index), 0);
	add(profile, LOCATION_ADDRESS, 0, 0x2008);
	resolve_generated(profile, "1000 10 caller\n2000 10 called\n");
	assert_string_equal(name_of(profile, 0), "caller");
	assert_string_equal(name_of(profile, 1), "called");
	(void)profile_free(profile);
}

/* A process has one map, and its last program has written it. */
static void test_a_map_is_the_last_program_s(void **state)
{
	static const char *const paths[] = {"[anon] b (4242, exec 2)", "[anon] a (4242)",
					    "[anon] b (4242, exec 1)", "[anon] b (4243)"};
	struct profile *profile = profile_new();

	for (uint32_t i = 0; i < ARRAY_LENGTH(paths); i++) {
		(void)sample_mapping(profile, CLASS_ANONYMOUS, paths[i], "", 0);
		sample_location(profile, LOCATION_ADDRESS, i, 0x1008);
		sample_cell(profile, sample_task(profile, i < 3 ? 4242 : 4243, 0, "b"), 1);
	}
	resolve_generated(profile, "1000 10 last\n");
	assert_string_equal(name_of(profile, 0), "last");
	for (uint32_t i = 1; i < ARRAY_LENGTH(paths); i++)
		assert_string_equal(name_of(profile, i), "[anon]+0x1008");
	(void)profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_this_program),
		cmocka_unit_test(test_names_that_are_there_stay),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_names_of_callers_made_at_run_time),
		cmocka_unit_test(test_a_map_is_the_last_program_s),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
