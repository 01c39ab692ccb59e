// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/array.h"

#include <errno.h>
#include <limits.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OFFSET 0x400000

static uint64_t buffer[64];

static const struct dialect *find_dialect(const char *name)
{
	for (const struct dialect *const *row = dialect_list; *row; row++)
		if (!strcmp((*row)->name, name))
			return *row;
	fail_msg("no dialect is called %s", name);
	return NULL;
}

/* The cell of a pc, through all that a system's own call goes through; -errno, or "off" as EOF. */
static int64_t cell_by_call(const struct dialect *dialect, unsigned width, uint32_t scale,
			    uint64_t distance)
{
	struct dialect_entry entry = {buffer, (uint64_t)scale << 30, OFFSET, scale};
	struct region_table *table;
	struct region region;
	uint32_t found;
	size_t cell, count;
	int ret;

	if (width == 2)
		ret = dialect_profil(dialect, buffer, entry.size, OFFSET, scale, &region);
	else
		ret = dialect_sprofil(dialect, &entry, 1, width, &region, &count);
	if (ret <= 0)
		return ret ? ret : EOF;
	assert_int_equal(region_table_new(&region, 1, &table), 0);
	assert_true(region_find(table, OFFSET + distance, &found, &cell));
	region_table_free(table);
	return (int64_t)cell;
}

static void puts_each_address_where_its_system_does(void **state)
{
	FILE *file = fopen(TESTS "/data/dialect-vectors.txt", "r");
	char line[200], name[10], expected[24], found[24];
	uint64_t distance;
	uint32_t scale;
	unsigned width, count = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		int64_t cell;

		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%9s %u %" SCNx32 " %" SCNu64 " %23s", name, &width,
					&scale, &distance, expected),
				 5);
		cell = cell_by_call(find_dialect(name), width, scale, distance);
		(void)snprintf(found, sizeof(found), "%" PRId64, cell);
		assert_string_equal(cell == EOF	      ? "off"
				    : cell == -EINVAL ? "EINVAL"
						      : found,
				    expected);
		count++;
	}
	assert_int_equal(fclose(file), 0);
	assert_int_equal(count, 8 * 12);
}

static int profil(const struct dialect *dialect, size_t bytes, uint64_t scale,
		  struct region *ret_region)
{
	return dialect_profil(dialect, buffer, bytes, OFFSET, scale, ret_region);
}

static void is_turned_off_as_its_page_says(void **state)
{
	static const struct {
		const struct dialect *dialect;
		bool by_0, by_1, by_null;
	} rows[] = {
		{&dialect_bsd, true, false, false},   {&dialect_irix, true, true, false},
		{&dialect_hpux, true, true, false},   {&dialect_svr4, true, true, false},
		{&dialect_linux, false, false, true}, {&dialect_v7, true, true, false},
		{&dialect_aix, true, true, false},    {&dialect_linux099, true, true, false},
	};
	struct region region;

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const struct dialect *dialect = rows[i].dialect;

		assert_ptr_equal(dialect_list[ARRAY_LENGTH(rows)], NULL);
		assert_int_equal(profil(dialect, 64, 0, &region), !rows[i].by_0);
		assert_int_equal(profil(dialect, 64, 1, &region), !rows[i].by_1);
		assert_int_equal(profil(dialect, 64, 3, &region), 1);
		assert_int_equal(dialect_profil(dialect, NULL, 64, OFFSET, 3, &region),
				 !rows[i].by_null);
	}
}

static void fills_in_what_profil_was_given(void **state)
{
	struct region region;

	assert_int_equal(profil(&dialect_bsd, 64, 32768, &region), 1);
	assert_int_equal(region.offset, OFFSET);
	assert_ptr_equal(region.cells, buffer);
	assert_int_equal(region.count, 32);
	assert_int_equal(region.scale, 32768);
	assert_int_equal(region.granule, 0);
	assert_int_equal(region.width, 2);
	assert_int_equal(region.full, CELL_WRAPS);
	assert_false(region.catch_all);
	assert_ptr_equal(region.rule, &dialect_bsd.rule);
}

static void fills_its_cells_as_its_page_says(void **state)
{
	static const enum cell_full expected[] = {
		CELL_WRAPS,    CELL_WRAPS, CELL_SATURATES, CELL_WRAPS,
		CELL_ENDS_ALL, CELL_WRAPS, CELL_SATURATES, CELL_WRAPS,
	};
	struct region region;

	for (size_t i = 0; dialect_list[i]; i++) {
		assert_int_equal(profil(dialect_list[i], 64, 32768, &region), 1);
		assert_int_equal(region.full, expected[i]);
	}
}

/* The smaller of an odd size, never the larger, and nothing of less than a cell. */
static void counts_whole_cells(void **state)
{
	struct region region = {.count = 99};

	for (size_t i = 0; dialect_list[i]; i++) {
		if (dialect_list[i]->profil_is_sprofil)
			continue;
		assert_int_equal(profil(dialect_list[i], 7, 32768, &region), 1);
		assert_int_equal(region.count, 3);
		assert_int_equal(profil(dialect_list[i], 1, 32768, &region), 0);
		assert_int_equal(profil(dialect_list[i], 0, 32768, &region), 0);
		assert_int_equal(region.count, 3);
	}
}

static void takes_the_scales_its_system_takes(void **state)
{
	struct region region;

	assert_int_equal(profil(&dialect_bsd, 64, 65536, &region), 1);
	assert_int_equal(profil(&dialect_bsd, 64, 65537, &region), -EINVAL);
	assert_int_equal(profil(&dialect_bsd, 64, UINT64_MAX, &region), -EINVAL);
	assert_int_equal(profil(&dialect_irix, 64, 65536, &region), 1);
	assert_int_equal(profil(&dialect_irix, 64, 65537, &region), -EINVAL);
	assert_int_equal(profil(&dialect_linux, 64, 131072, &region), 1);
	assert_int_equal(region.scale, 131072);
	assert_int_equal(profil(&dialect_hpux, 64, 131072, &region), 1);
	assert_int_equal(profil(&dialect_linux, 64, UINT64_C(1) << 40, &region), 1);
	assert_int_equal(region.scale, UINT32_MAX);
	assert_int_equal(profil(&dialect_aix, 64, 0x12348000, &region), 1);
	assert_int_equal(region.scale, 0x8000);
	assert_int_equal(profil(&dialect_aix, 64, 0x10001, &region), 0);
}

static void scale_0_is_one_cell_in_linux(void **state)
{
	struct region region;

	assert_int_equal(profil(&dialect_linux, 64, 0, &region), 1);
	assert_int_equal(region_end(&region), UINTPTR_MAX);
	assert_int_equal(scale_cell(region.rule, UINT64_MAX, region.scale, region.width), 0);
}

static void scale_2_is_one_cell_where_it_is(void **state)
{
	struct region region;

	for (size_t i = 0; dialect_list[i]; i++) {
		assert_int_equal(profil(dialect_list[i], 4, 2, &region), 1);
		assert_int_equal(region_end(&region) == UINTPTR_MAX,
				 dialect_list[i]->rule.two_is_all);
	}
	assert_true(dialect_irix.rule.two_is_all);
	assert_true(dialect_svr4.rule.two_is_all);
	assert_true(dialect_aix.rule.two_is_all);
	assert_int_equal(profil(&dialect_irix, 0, 2, &region), 0);
	/* Even in no buffer at all. */
	assert_int_equal(profil(&dialect_svr4, 0, 2, &region), 1);
	assert_int_equal(region.count, 1);
	assert_int_equal(profil(&dialect_svr4, 0, 3, &region), 0);
}

static void hpux_profil_is_sprofil(void **state)
{
	struct region region;

	assert_int_equal(profil(&dialect_hpux, 63, 32768, &region), -EINVAL);
	assert_int_equal(profil(&dialect_hpux, 0, 32768, &region), -EINVAL);
	assert_int_equal(dialect_profil(&dialect_hpux, buffer, 2, 0, 2, &region), 1);
	assert_true(region.catch_all);
	assert_int_equal(dialect_profil(&dialect_hpux, buffer, 4, 0, 2, &region), -EINVAL);
	assert_int_equal(dialect_profil(&dialect_linux, buffer, 4, 0, 2, &region), 1);
	assert_false(region.catch_all);
}

static void only_svr4_lists_program_counters(void **state)
{
	for (size_t i = 0; dialect_list[i]; i++) {
		if (dialect_list[i] != &dialect_svr4)
			assert_int_equal(dialect_pcsample(dialect_list[i], 1), -ENOSYS);
	}
	assert_int_equal(dialect_pcsample(&dialect_svr4, 0), 0);
	assert_int_equal(dialect_pcsample(&dialect_svr4, 1), 1);
	assert_int_equal(dialect_pcsample(&dialect_svr4, LONG_MAX), 1);
	assert_int_equal(dialect_pcsample(&dialect_svr4, -1), -EINVAL);
	assert_int_equal(dialect_pcsample(&dialect_svr4, LONG_MIN), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(puts_each_address_where_its_system_does),
		cmocka_unit_test(is_turned_off_as_its_page_says),
		cmocka_unit_test(fills_in_what_profil_was_given),
		cmocka_unit_test(fills_its_cells_as_its_page_says),
		cmocka_unit_test(counts_whole_cells),
		cmocka_unit_test(takes_the_scales_its_system_takes),
		cmocka_unit_test(scale_0_is_one_cell_in_linux),
		cmocka_unit_test(scale_2_is_one_cell_where_it_is),
		cmocka_unit_test(hpux_profil_is_sprofil),
		cmocka_unit_test(only_svr4_lists_program_counters),
	};

	return cmocka_run_group_tests_name("dialect", tests, NULL, NULL);
}
