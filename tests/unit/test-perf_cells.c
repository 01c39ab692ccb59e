// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/array.h"
#include "hostile.h"

static void a_cell_is_all_that_names_it(void **state)
{
	const struct histogram_cell keys[] = {
		{CELL_FILE, 1, 2, 3, 0},      {CELL_FILE, 1, 2, 4, 0},	 {CELL_FILE, 1, 3, 3, 0},
		{CELL_FILE, 2, 2, 3, 0},      {CELL_KERNEL, 1, 2, 3, 0}, {CELL_FILE, 1, 2, 3, 0},
		{CELL_ANONYMOUS, 1, 2, 3, 0},
	};
	struct perf_cells cells;
	struct histogram histogram = {0};

	assert_int_equal(perf_cells_init(&cells, 6), 0);
	for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
		assert_true(perf_cells_add(&cells, &keys[i], 10 + i));
	assert_int_equal(cells.count, 6);
	assert_int_equal(perf_cells_read(&cells, &histogram), 0);
	assert_int_equal(histogram.cell_count, 6);
	assert_int_equal(histogram.cells[0].ticks, 10 + 15);
	assert_int_equal(histogram.cells[5].space, CELL_ANONYMOUS);
	assert_int_equal(histogram.cells[5].ticks, 16);
	histogram_done(&histogram);
	perf_cells_done(&cells);
}

/* What is there goes on counting; what is not is refused, and stays so. */
static void a_full_table_is_full(void **state)
{
	struct perf_cells cells;

	assert_int_equal(perf_cells_init(&cells, 2), 0);
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < 4; i++)
			assert_int_equal(
				perf_cells_add(&cells, &(struct histogram_cell){.address = i}, 1),
				i < 2);
	assert_int_equal(cells.count, 2);
	assert_int_equal(cells.cells[1].ticks, 2);
	perf_cells_done(&cells);
}

/* Addresses so far apart, times any constant that is no secret, are alike in the bits that a table
 * of their number looks at. */
static void chosen_addresses_cost_no_more(void **state)
{
	struct perf_cells cells;

	assert_int_equal(perf_cells_init(&cells, HOSTILE_KEYS), 0);
	for (uint64_t round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < HOSTILE_KEYS; i++) {
			struct histogram_cell cell = {.address = i << 46};
			uint64_t looks = cells.slots.looks;

			assert_int_equal(cell.address * 0x9e3779b97f4a7c15 >> 32 & 0x3fff, 0);
			assert_true(perf_cells_add(&cells, &cell, 1));
			if (round)
				assert_in_range(cells.slots.looks - looks, 1, HOSTILE_LOOKS);
		}
		assert_in_range(cells.slots.looks, HOSTILE_KEYS, 4 * HOSTILE_LOOKS * HOSTILE_KEYS);
	}
	assert_int_equal(cells.count, HOSTILE_KEYS);
	perf_cells_done(&cells);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cell_is_all_that_names_it),
		cmocka_unit_test(a_full_table_is_full),
		cmocka_unit_test(chosen_addresses_cost_no_more),
	};

	return cmocka_run_group_tests_name("perf_cells", tests, NULL, NULL);
}
