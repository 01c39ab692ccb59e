// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/region.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

static const struct scale_rule plain = {0};
static uint64_t cells[64]; /* only ever looked up, not counted in, where there are fewer */

/* COUNT 16-bit cells, each for 2 bytes of text at 65536. */
static struct region scaled(uintptr_t offset, size_t count, uint32_t scale)
{
	return (struct region){.offset = offset,
			       .cells = cells,
			       .count = count,
			       .scale = scale,
			       .width = 2,
			       .rule = &plain};
}

static struct region_table *make(const struct region *regions, size_t count)
{
	struct region_table *table;

	assert_int_equal(region_table_new(regions, count, &table), 0);
	return table;
}

static void expect(const struct region_table *table, uintptr_t pc, uint32_t region, size_t cell)
{
	uint32_t found_region;
	size_t found_cell;

	assert_true(region_find(table, pc, &found_region, &found_cell));
	assert_int_equal(found_region, region);
	assert_int_equal(found_cell, cell);
}

static void expect_nobody(const struct region_table *table, uintptr_t pc)
{
	uint32_t region = 77;
	size_t cell = 78;

	assert_false(region_find(table, pc, &region, &cell));
	assert_int_equal(region, 77);
	assert_int_equal(cell, 78);
}

static void holds_from_offset_to_the_last_cell(void **state)
{
	struct region region = scaled(0x1000, 4, 65536);
	struct region_table *table = make(&region, 1);

	expect_nobody(table, 0);
	expect_nobody(table, 0xfff);
	expect(table, 0x1000, 0, 0);
	expect(table, 0x1007, 0, 3);
	expect_nobody(table, 0x1008);
	expect_nobody(table, UINTPTR_MAX);
	region_table_free(table);
	assert_int_equal(region_end(&region), 0x1008);
}

static void the_nested_region_goes_first(void **state)
{
	struct region regions[] = {scaled(0x1000, 16, 65536), scaled(0x1008, 2, 65536)};
	struct region_table *table = make(regions, ARRAY_LENGTH(regions));

	expect(table, 0x1007, 0, 3);
	expect(table, 0x1008, 1, 0);
	expect(table, 0x100b, 1, 1);
	/* Beyond its end the one around it has the address again. */
	expect(table, 0x100c, 0, 6);
	expect(table, 0x101f, 0, 15);
	expect_nobody(table, 0x1020);
	region_table_free(table);
}

static void the_first_of_equals_goes_first(void **state)
{
	struct region regions[] = {scaled(0x1000, 2, 65536), scaled(0x1000, 8, 65536),
				   scaled(0x1000, 4, 65536)};
	struct region_table *table = make(regions, ARRAY_LENGTH(regions));

	expect(table, 0x1003, 0, 1);
	expect(table, 0x1004, 1, 2);
	expect(table, 0x100f, 1, 7);
	expect_nobody(table, 0x1010);
	region_table_free(table);
}

static void catch_all_takes_the_rest(void **state)
{
	struct region regions[] = {
		scaled(0x2000, 4, 65536),
		{.cells = cells, .count = 1, .scale = 2, .width = 2, .catch_all = true},
		scaled(0x1000, 4, 65536),
	};
	struct region_table *table = make(regions, ARRAY_LENGTH(regions));

	expect(table, 0, 1, 0);
	expect(table, 0x1000, 2, 0);
	expect(table, 0x1008, 1, 0);
	expect(table, 0x2007, 0, 3);
	expect(table, 0x2008, 1, 0);
	expect(table, UINTPTR_MAX, 1, 0);
	region_table_free(table);

	regions[1].count = 0;
	table = make(regions, ARRAY_LENGTH(regions));
	expect_nobody(table, 0);
	region_table_free(table);
}

static void granules_need_no_scale(void **state)
{
	struct region region = {
		.offset = 0x1000, .cells = cells, .count = 5, .granule = 24, .width = 8};
	struct region_table *table = make(&region, 1);

	expect(table, 0x1000 + 23, 0, 0);
	expect(table, 0x1000 + 24, 0, 1);
	expect(table, 0x1000 + 24 * 5 - 1, 0, 4);
	expect_nobody(table, 0x1000 + 24 * 5);
	region_table_free(table);
}

static void has_no_end_where_its_scale_has_none(void **state)
{
	struct region regions[] = {scaled(0x1000, 1, 0), scaled(0, SIZE_MAX, 65536),
				   scaled(UINTPTR_MAX - 9, 100, 65536)};
	struct region_table *table;

	for (size_t i = 0; i < ARRAY_LENGTH(regions); i++) {
		assert_int_equal(region_end(&regions[i]), UINTPTR_MAX);
		table = make(&regions[i], 1);
		expect(table, regions[i].offset, 0, 0);
		assert_true(region_find(table, UINTPTR_MAX, &(uint32_t){0}, &(size_t){0}));
		region_table_free(table);
	}
}

/* The end is the last address of all, so it cannot be told from "without end". */
static void never_finds_a_cell_behind_the_last(void **state)
{
	struct region regions[] = {
		{.cells = cells, .count = UINTPTR_MAX, .granule = 1, .width = 1},
		{.cells = cells, .count = UINTPTR_MAX, .granule = 2, .width = 1},
		scaled(UINTPTR_MAX - 8, 4, 65536),
	};
	struct region_table *table = make(&regions[0], 1);

	expect(table, UINTPTR_MAX - 1, 0, UINTPTR_MAX - 1);
	expect_nobody(table, UINTPTR_MAX);
	region_table_free(table);
	table = make(&regions[1], 1);
	expect(table, UINTPTR_MAX, 0, UINTPTR_MAX / 2);
	region_table_free(table);
	table = make(&regions[2], 1);
	expect(table, UINTPTR_MAX - 1, 0, 3);
	expect_nobody(table, UINTPTR_MAX);
	region_table_free(table);
}

static void holds_nothing_when_there_is_nothing(void **state)
{
	struct region region = scaled(0x1000, 0, 65536);
	struct region_table *table = make(NULL, 0);
	size_t count;

	expect_nobody(table, 0x1000);
	region_table_regions(table, &count);
	assert_int_equal(count, 0);
	region_table_free(table);
	table = make(&region, 1);
	expect_nobody(table, 0x1000);
	assert_ptr_not_equal(region_table_regions(table, &count), &region);
	assert_int_equal(count, 1);
	region_table_free(table);
	region_table_free(NULL);
}

static void refuse(struct region region)
{
	struct region_table *table;

	assert_int_equal(region_table_new(&region, 1, &table), -EINVAL);
}

static void refuses_what_no_tick_could_use(void **state)
{
	struct region sound = scaled(0x1000, 4, 65536), region;
	struct region catch_alls[] = {sound, sound};
	struct region_table *table;

	for (region = sound, region.width = 0; region.width <= 16; region.width++)
		if (region.width != 1 && region.width != 2 && region.width != 4 &&
		    region.width != 8)
			refuse(region);
	for (region = sound; region.width <= 8; region.width *= 2) {
		region.cells = (char *)cells + region.width / 2;
		refuse(region);
	}
	region = sound, region.width = 4, region.full = CELL_ENDS_ALL;
	refuse(region);
	region = sound, region.rule = NULL;
	refuse(region);
	catch_alls[0].catch_all = catch_alls[1].catch_all = true;
	assert_int_equal(region_table_new(catch_alls, 2, &table), -EINVAL);
}

static void finds_among_many(void **state)
{
	enum { MANY = 10000 };
	struct region *regions = calloc(MANY, sizeof(*regions));
	struct region_table *table;

	assert_non_null(regions);
	for (size_t i = 0; i < MANY; i++)
		regions[i] = scaled(0x10000 + 0x100 * (MANY - 1 - i), 16, 65536);
	table = make(regions, MANY);
	for (size_t i = 0; i < MANY; i++) {
		expect(table, regions[i].offset + 31, (uint32_t)i, 15);
		expect_nobody(table, regions[i].offset + 32);
	}
	region_table_free(table);
	free(regions);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_from_offset_to_the_last_cell),
		cmocka_unit_test(the_nested_region_goes_first),
		cmocka_unit_test(the_first_of_equals_goes_first),
		cmocka_unit_test(catch_all_takes_the_rest),
		cmocka_unit_test(granules_need_no_scale),
		cmocka_unit_test(has_no_end_where_its_scale_has_none),
		cmocka_unit_test(never_finds_a_cell_behind_the_last),
		cmocka_unit_test(holds_nothing_when_there_is_nothing),
		cmocka_unit_test(refuses_what_no_tick_could_use),
		cmocka_unit_test(finds_among_many),
	};

	return cmocka_run_group_tests_name("region", tests, NULL, NULL);
}
