// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/region_spans.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/array.h"
#include "dice.h"

#define REGIONS 24
#define TEXT 2000
#define NOBODY UINT32_MAX

static const struct scale_rule rules[] = {
	{0}, {.divide_first = true}, {.round_up = true}, {.two_is_all = true}};
static uint64_t cells[1];

static struct region any_region(uint64_t *dice)
{
	static const uint32_t scales[] = {0, 2, 2000, 16384, 32768, 49152, 65535, 65536, 131072};
	struct region region = {
		.offset = dice_below(dice, TEXT) & ~dice_below(dice, 16),
		.cells = cells,
		.count = dice_below(dice, 40),
		.scale = scales[dice_below(dice, ARRAY_LENGTH(scales))],
		.width = (uint8_t)(1 << dice_below(dice, 4)),
		.rule = &rules[dice_below(dice, ARRAY_LENGTH(rules))],
	};

	if (dice_below(dice, 3) == 0)
		region.granule = 1 + dice_below(dice, 30);
	if (dice_below(dice, 3) == 0)
		region.end = region.offset + 1 + dice_below(dice, 80);
	return region;
}

/* The law itself, without an end: PC is held if its cell is one of them. */
static bool holds(const struct region *region, uintptr_t pc)
{
	uint64_t distance = pc - region->offset;

	if (region->catch_all || pc < region->offset || (region->end && pc >= region->end))
		return false;
	if (region->granule)
		return distance / region->granule < region->count;
	return scale_cell(region->rule, distance, region->scale, region->width) < region->count;
}

/* Who has PC, by asking all. */
static uint32_t search(const struct region *regions, size_t count, uintptr_t pc)
{
	uint32_t best = NOBODY, catch_all = NOBODY;

	for (uint32_t i = 0; i < count; i++) {
		if (regions[i].catch_all && regions[i].count)
			catch_all = i;
		if (holds(&regions[i], pc) &&
		    (best == NOBODY || regions[i].offset > regions[best].offset))
			best = i;
	}
	return best == NOBODY ? catch_all : best;
}

static uint32_t look_up(const struct region_span *spans, size_t count, uintptr_t pc)
{
	for (size_t i = 0; i < count; i++)
		if (spans[i].start <= pc && pc < spans[i].end)
			return spans[i].region;
	return NOBODY;
}

/* A tick finds the same. */
static void check_find(const struct region *regions, size_t count)
{
	struct region_table *table;

	assert_int_equal(region_table_new(regions, count, &table), 0);
	for (uintptr_t pc = 0; pc < TEXT + 1500; pc++) {
		uint32_t expected = search(regions, count, pc), found;
		size_t cell;

		assert_int_equal(region_find(table, pc, &found, &cell), expected != NOBODY);
		if (expected == NOBODY)
			continue;
		assert_int_equal(found, expected);
		assert_in_range(cell, 0, regions[found].count - 1);
	}
	region_table_free(table);
}

static void check(const struct region *regions, size_t count)
{
	struct region_span spans[2 * REGIONS + 1];
	size_t used;

	assert_int_equal(region_spans_make(regions, count, spans, &used), 0);
	assert_in_range(used, 0, region_spans_room(count));
	for (size_t i = 0; i < used; i++) {
		assert_true(spans[i].start < spans[i].end);
		assert_true(i == 0 || spans[i - 1].end <= spans[i].start);
	}
	for (uintptr_t pc = 0; pc < TEXT + 1500; pc++)
		assert_int_equal(look_up(spans, used, pc), search(regions, count, pc));
	assert_int_equal(look_up(spans, used, UINTPTR_MAX - 1),
			 search(regions, count, UINTPTR_MAX - 1));
	check_find(regions, count);
}

static void give_each_address_to_whom_the_law_gives_it(void **state)
{
	uint64_t dice = 5;

	for (int round = 0; round < 150; round++) {
		struct region regions[REGIONS];
		size_t count = dice_below(&dice, REGIONS + 1);

		for (size_t i = 0; i < count; i++)
			regions[i] = any_region(&dice);
		if (count && dice_below(&dice, 2))
			regions[dice_below(&dice, count)].catch_all = true;
		check(regions, count);
	}
}

static void leave_no_gap_to_a_catch_all(void **state)
{
	struct region regions[] = {
		{.offset = 0x2000, .cells = cells, .count = 2, .granule = 8, .width = 1},
		{.cells = cells, .count = 1, .width = 1, .catch_all = true},
		{.offset = 0x2010, .cells = cells, .count = 1, .granule = 8, .width = 1},
	};
	const struct region_span expected[] = {
		{0, 0x2000, 1}, {0x2000, 0x2010, 0}, {0x2010, 0x2018, 2}, {0x2018, UINTPTR_MAX, 1}};
	struct region_span spans[7];
	size_t count;

	assert_int_equal(region_spans_make(regions, ARRAY_LENGTH(regions), spans, &count), 0);
	assert_int_equal(count, ARRAY_LENGTH(expected));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(spans[i].start, expected[i].start);
		assert_int_equal(spans[i].end, expected[i].end);
		assert_int_equal(spans[i].region, expected[i].region);
	}
}

/* Though its cells would go on. */
static void end_where_the_text_does(void **state)
{
	struct region regions[] = {
		{.offset = 0x2000,
		 .end = 0x2004,
		 .cells = cells,
		 .count = 2,
		 .granule = 8,
		 .width = 1},
		{.offset = 0x2008,
		 .end = 0x2100,
		 .cells = cells,
		 .count = 1,
		 .granule = 8,
		 .width = 1},
	};
	struct region_table *table;
	uint32_t region;
	size_t cell;

	assert_int_equal(region_end(&regions[0]), 0x2004);
	assert_int_equal(region_end(&regions[1]), 0x2010);
	assert_int_equal(region_table_new(regions, 2, &table), 0);
	for (uintptr_t pc = 0x1fff; pc < 0x2020; pc++)
		assert_int_equal(region_find(table, pc, &region, &cell),
				 (0x2000 <= pc && pc < 0x2004) || (0x2008 <= pc && pc < 0x2010));
	region_table_free(table);
}

static void leave_out_what_has_no_cells(void **state)
{
	struct region regions[] = {
		{.cells = cells, .scale = 2, .width = 2, .rule = rules, .catch_all = true},
		{.offset = 0x2000, .cells = cells, .scale = 65536, .width = 2, .rule = rules},
		{.offset = 0x2000, .cells = cells, .granule = 8, .width = 2},
		{.offset = UINTPTR_MAX, .cells = cells, .count = 1, .granule = 8, .width = 2},
	};
	struct region_span spans[9];
	size_t count;

	assert_int_equal(region_spans_make(regions, ARRAY_LENGTH(regions), spans, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(region_end(&regions[1]), 0x2000);
	assert_int_equal(region_end(&regions[2]), 0x2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(give_each_address_to_whom_the_law_gives_it),
		cmocka_unit_test(leave_no_gap_to_a_catch_all),
		cmocka_unit_test(end_where_the_text_does),
		cmocka_unit_test(leave_out_what_has_no_cells),
	};

	return cmocka_run_group_tests_name("region_spans", tests, NULL, NULL);
}
