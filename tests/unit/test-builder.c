// SPDX-License-Identifier: BSD-2-Clause
#include "profile/builder.h"

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

static uint32_t text(struct builder *builder, const char *text)
{
	uint32_t id;

	assert_int_equal(profile_string(builder->profile, text, &id), 0);
	return id;
}

static uint32_t mapping(struct builder *builder, enum profile_class class, const char *path,
			const char *build_id)
{
	const struct profile_mapping mapping = {
		.class = class,
		.path = text(builder, path),
		.build_id = text(builder, build_id),
		.limit = UINT64_MAX,
	};
	uint32_t number;

	assert_int_equal(builder_mapping(builder, &mapping, &number), 0);
	return number;
}

static uint32_t location(struct builder *builder, uint32_t mapping, uint64_t address,
			 const char *name)
{
	const struct profile_location location = {.mapping = mapping, .address = address};
	struct profile_function function = {.name = text(builder, name)};
	struct profile_line lines[2] = {{0}};
	uint32_t frames = 0, number;

	if (!profile_says_address(name))
		function.system_name = function.name;
	assert_int_equal(builder_function(builder, &function, &lines[1].function), 0);
	assert_int_equal(builder_frames(builder, lines, *name ? 1 : 0, &frames), 0);
	assert_int_equal(builder_location(builder, &location, frames, &number), 0);
	return number;
}

static void cell(struct builder *builder, uint32_t location, uint32_t task, uint64_t ticks)
{
	const struct profile_cell cell = {.location = location, .task = task, .ticks = ticks};

	assert_int_equal(builder_cell(builder, &cell), 0);
}

static struct profile *settle(struct builder *builder)
{
	struct profile *profile;

	assert_int_equal(builder_settle(builder, &profile), 0);
	builder_done(builder);
	return profile;
}

/* Numbers are given as things come; in the profile they stand in an order of their own. */
static void what_comes_in_any_order_is_put_in_one(void **state)
{
	struct builder builder;
	struct profile *profile;
	uint32_t library, program, task;

	assert_int_equal(builder_init(&builder), 0);
	library = mapping(&builder, CLASS_LIBRARIES, "/lib/a.so", "");
	program = mapping(&builder, CLASS_PROGRAM, "/bin/z", "");
	assert_int_equal(mapping(&builder, CLASS_LIBRARIES, "/lib/a.so", ""), library);
	assert_int_equal(builder_task(&builder, &(struct profile_task){.pid = 9}, &task), 0);
	cell(&builder, location(&builder, library, 0x20, ""), PROFILE_NO_TASK, 1);
	cell(&builder, location(&builder, program, 0x30, ""), PROFILE_NO_TASK, 2);
	cell(&builder, location(&builder, program, 0x10, ""), PROFILE_NO_TASK, 3);
	cell(&builder, location(&builder, program, 0x10, ""), task, 4);
	cell(&builder, location(&builder, program, 0x30, ""), PROFILE_NO_TASK, 5);
	builder.profile->facts.engine = text(&builder, "kernel");
	profile = settle(&builder);

	assert_int_equal(profile->mapping_count, 2);
	assert_string_equal(profile_text(profile, profile->mappings[0].path), "/bin/z");
	assert_string_equal(profile_text(profile, profile->facts.engine), "kernel");
	assert_int_equal(profile->location_count, 3);
	assert_int_equal(profile->locations[0].address, 0x10);
	assert_int_equal(profile->locations[1].address, 0x30);
	assert_int_equal(profile->cell_count, 4);
	assert_int_equal(profile->cells[0].task, 0);
	assert_int_equal(profile->cells[0].ticks, 4);
	assert_int_equal(profile->cells[1].ticks, 3);
	assert_int_equal(profile->cells[2].ticks, 7);
	assert_int_equal(profile->cells[3].ticks, 1);
	profile_free(profile);
}

/* More than are kept apart until the end, at few places: counts are added up meanwhile. */
static void many_equal_cells_take_the_room_of_one(void **state)
{
	const struct profile_location nowhere = {.kind = LOCATION_UNRESOLVED};
	struct builder builder;
	struct profile *profile;

	assert_int_equal(builder_init(&builder), 0);
	(void)mapping(&builder, CLASS_UNRESOLVED, "[unresolved]", "");
	for (uint32_t i = 0; i < 300000; i++)
		cell(&builder, location(&builder, 0, i % 3, ""), PROFILE_NO_TASK, 2);
	assert_in_range(builder.profile->cell_capacity, 3, 150000);
	assert_int_equal(builder_ticks(&builder, &nowhere, 0), 0);
	assert_int_equal(builder_ticks(&builder, &nowhere, UINT64_MAX), 0);
	assert_int_equal(builder_ticks(&builder, &nowhere, 1), 0);
	profile = settle(&builder);
	assert_int_equal(profile->cell_count, 4);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(profile->cells[i].ticks, 200000);
	assert_true(profile->cells[3].ticks == TICKS_MAX);
	profile_free(profile);
}

/* A file with a build-id is known by that alone where this was asked for, and an address of it is
 * one location, under the better name. */
static void a_build_id_makes_one_file_where_asked(void **state)
{
	struct builder builder;
	struct profile *profile;
	uint32_t one, other;

	for (int by_build_id = 0; by_build_id <= 1; by_build_id++) {
		assert_int_equal(builder_init(&builder), 0);
		builder.by_build_id = by_build_id;
		one = mapping(&builder, CLASS_LIBRARIES, "/b/a.so", "1234");
		other = mapping(&builder, CLASS_LIBRARIES, "/a/a.so", "1234");
		cell(&builder, location(&builder, one, 0x10, "a.so+0x10"), PROFILE_NO_TASK, 1);
		cell(&builder, location(&builder, other, 0x10, "main"), PROFILE_NO_TASK, 1);
		profile = settle(&builder);
		assert_int_equal(profile->mapping_count, by_build_id ? 1 : 2);
		assert_string_equal(profile_text(profile, profile->mappings[0].path), "/a/a.so");
		assert_int_equal(profile->cell_count, by_build_id ? 1 : 2);
		assert_int_equal(profile->locations[0].line_count, 1);
		assert_string_equal(
			profile_text(profile, profile->functions[profile->lines[0].function].name),
			"main");
		profile_free(profile);
	}
}

/* Without a build-id, an address is the same code only where it has the same names. */
static void equal_addresses_elsewhere_have_equal_names(void **state)
{
	struct builder builder;
	struct profile *profile;
	uint32_t kernel;

	assert_int_equal(builder_init(&builder), 0);
	kernel = mapping(&builder, CLASS_KERNEL, "[kernel]", "");
	cell(&builder, location(&builder, kernel, 0x10, "schedule"), PROFILE_NO_TASK, 1);
	cell(&builder, location(&builder, kernel, 0x10, "do_exit"), PROFILE_NO_TASK, 2);
	cell(&builder, location(&builder, kernel, 0x10, "schedule"), PROFILE_NO_TASK, 4);
	profile = settle(&builder);
	assert_int_equal(profile->cell_count, 2);
	assert_int_equal(profile->cells[0].ticks, 2);
	assert_int_equal(profile->cells[1].ticks, 5);
	profile_free(profile);
}

static void nothing_is_a_profile(void **state)
{
	struct builder builder = {0};
	struct profile *profile;

	builder_done(&builder);
	assert_int_equal(builder_init(&builder), 0);
	profile = settle(&builder);
	assert_int_equal(profile->mapping_count + profile->cell_count + profile->call_count, 0);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_find_their_places),
		cmocka_unit_test(what_comes_in_any_order_is_put_in_one),
		cmocka_unit_test(many_equal_cells_take_the_room_of_one),
		cmocka_unit_test(a_build_id_makes_one_file_where_asked),
		cmocka_unit_test(equal_addresses_elsewhere_have_equal_names),
		cmocka_unit_test(nothing_is_a_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
