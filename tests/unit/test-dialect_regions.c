// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/array.h"

#include <errno.h>
#include <limits.h>

/* sprofil(). */

static uint64_t buffer[64];

#define ENTRY(bytes, at, ratio)                                                   \
	{                                                                         \
		.base = buffer, .size = (bytes), .offset = (at), .scale = (ratio) \
	}

/* Calls with an array of entries in the regions below. */
#define SPROFIL(dialect, width, ...)                                   \
	sprofil(dialect, width, (struct dialect_entry[]){__VA_ARGS__}, \
		ARRAY_LENGTH(((struct dialect_entry[]){__VA_ARGS__})))

static struct region regions[8];
static size_t used;

static int sprofil(const struct dialect *dialect, unsigned width, struct dialect_entry *entries,
		   int count)
{
	used = 99;
	return dialect_sprofil(dialect, entries, count, width, regions, &used);
}

static void is_not_in_every_system(void **state)
{
	assert_int_equal(SPROFIL(&dialect_bsd, 2, ENTRY(8, 0x1000, 65536)), -ENOSYS);
	assert_int_equal(SPROFIL(&dialect_svr4, 2, ENTRY(8, 0x1000, 65536)), -ENOSYS);
	assert_int_equal(dialect_sprofil_count(&dialect_v7, 1), -ENOSYS);
	assert_int_equal(dialect_sprofil_count(&dialect_aix, 0), -ENOSYS);
}

static void counts_its_entries_first(void **state)
{
	assert_int_equal(dialect_sprofil_count(&dialect_hpux, 0), 0);
	assert_int_equal(dialect_sprofil_count(&dialect_hpux, 1), 1);
	assert_int_equal(dialect_sprofil_count(&dialect_hpux, 16384), 1);
	assert_int_equal(dialect_sprofil_count(&dialect_hpux, 16385), -E2BIG);
	assert_int_equal(dialect_sprofil_count(&dialect_hpux, -1), -E2BIG);
	assert_int_equal(dialect_sprofil_count(&dialect_irix, INT_MIN), -E2BIG);
	assert_int_equal(dialect_sprofil_count(&dialect_linux, INT_MAX), 1);
	assert_int_equal(dialect_sprofil_count(&dialect_linux, 0), 0);
	assert_int_equal(dialect_sprofil_count(&dialect_linux, -1), 0);
	/* Before anything is looked at, even the flags. */
	assert_int_equal(sprofil(&dialect_hpux, 0, NULL, -1), -E2BIG);
	assert_int_equal(sprofil(&dialect_hpux, 0, NULL, 0), 0);
}

static void takes_its_system_s_widths(void **state)
{
	static const struct {
		const struct dialect *dialect;
		unsigned widths;
	} rows[] = {{&dialect_irix, 2 | 4}, {&dialect_hpux, 2 | 4 | 8}, {&dialect_linux, 2 | 4}};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		for (unsigned width = 0; width <= 16; width++) {
			bool is_one = width == 2 || width == 4 || width == 8;
			int ret = SPROFIL(rows[i].dialect, width, ENTRY(64, 0x1000, 65536));

			assert_int_equal(ret, is_one && rows[i].widths & width ? 1 : -EINVAL);
		}
}

static void fills_in_what_it_was_given(void **state)
{
	assert_int_equal(SPROFIL(&dialect_hpux, 8, ENTRY(64, 0x1000, 65536),
				 ENTRY(8, 0x2000, 131072), ENTRY(8, 0, 2)),
			 1);
	assert_int_equal(used, 3);
	assert_int_equal(regions[0].offset, 0x1000);
	assert_ptr_equal(regions[0].cells, buffer);
	assert_int_equal(regions[0].count, 8);
	assert_int_equal(regions[0].scale, 65536);
	assert_int_equal(regions[0].width, 8);
	assert_int_equal(regions[0].full, CELL_SATURATES);
	assert_ptr_equal(regions[0].rule, &dialect_hpux.rule);
	assert_int_equal(regions[1].scale, 131072);
	assert_false(regions[1].catch_all);
	assert_true(regions[2].catch_all);
	assert_int_equal(regions[2].count, 1);
	assert_int_equal(regions[2].full, CELL_SATURATES);
}

static void leaves_out_what_counts_nothing(void **state)
{
	assert_int_equal(SPROFIL(&dialect_hpux, 2, ENTRY(7, 0x9000, 0), ENTRY(8, 0x1000, 65536),
				 ENTRY(0, 0x1000, 1)),
			 1);
	assert_int_equal(used, 1);
	assert_int_equal(regions[0].offset, 0x1000);
	assert_int_equal(SPROFIL(&dialect_hpux, 2, ENTRY(8, 0x1000, 1)), 0);
	assert_int_equal(SPROFIL(&dialect_linux, 4, ENTRY(3, 0x1000, 65536)), 0);
	assert_int_equal(used, 99);
	assert_int_equal(
		SPROFIL(&dialect_irix, 4, ENTRY(3, 0x1000, 65536), ENTRY(7, 0x2000, 65536)), 1);
	assert_int_equal(used, 1);
	assert_int_equal(regions[0].count, 1);
}

static void irix_ends_at_65536(void **state)
{
	assert_int_equal(SPROFIL(&dialect_irix, 4, ENTRY(8, 0x1000, 65536)), 1);
	assert_int_equal(
		SPROFIL(&dialect_irix, 4, ENTRY(8, 0x1000, 65536), ENTRY(8, 0x2000, 65537)),
		-EINVAL);
	assert_int_equal(SPROFIL(&dialect_hpux, 4, ENTRY(8, 0x1000, 131072)), 1);
	assert_int_equal(SPROFIL(&dialect_linux, 4, ENTRY(8, 0x1000, 131072)), 1);
}

static void hpux_refuses_sizes(void **state)
{
	assert_int_equal(SPROFIL(&dialect_hpux, 4, ENTRY(0, 0x1000, 65536)), -EINVAL);
	assert_int_equal(SPROFIL(&dialect_hpux, 4, ENTRY(6, 0x1000, 65536)), -EINVAL);
	assert_int_equal(SPROFIL(&dialect_hpux, 2, ENTRY(6, 0x1000, 65536)), 1);
	/* 2^46 bytes of text, not more. */
	assert_int_equal(SPROFIL(&dialect_hpux, 2, ENTRY(UINT64_C(1) << 31, 0x1000, 2)), 1);
	assert_int_equal(SPROFIL(&dialect_hpux, 2, ENTRY((UINT64_C(1) << 31) + 2, 0x1000, 2)),
			 -EINVAL);
	assert_int_equal(SPROFIL(&dialect_hpux, 2, ENTRY(3U << 30, 0x1000, 3)), 1);
	assert_int_equal(SPROFIL(&dialect_linux, 2, ENTRY(7, 0x1000, 65536)), 1);
}

static void hpux_wants_order(void **state)
{
	assert_int_equal(
		SPROFIL(&dialect_hpux, 2, ENTRY(8, 0x2000, 65536), ENTRY(8, 0x1000, 65536)),
		-EINVAL);
	assert_int_equal(
		SPROFIL(&dialect_hpux, 2, ENTRY(8, 0x1000, 65536), ENTRY(8, 0x1008, 65536)), 1);
	/* One byte of overlap, and the same offset twice. */
	assert_int_equal(
		SPROFIL(&dialect_hpux, 2, ENTRY(8, 0x1000, 65536), ENTRY(8, 0x1007, 65536)),
		-EINVAL);
	assert_int_equal(
		SPROFIL(&dialect_hpux, 2, ENTRY(8, 0x1000, 65536), ENTRY(8, 0x1000, 65536)),
		-EINVAL);
	/* An entry that is ignored has no place in any order. */
	assert_int_equal(SPROFIL(&dialect_hpux, 2, ENTRY(8, 0x1000, 65536), ENTRY(8, 0, 1),
				 ENTRY(8, 0x1008, 65536)),
			 1);
}

/* Rows that no system has, to see each rule without the others. */
static void rules_do_not_lean_on_each_other(void **state)
{
	struct dialect row = dialect_hpux;

	row.overlap_is_error = false;
	assert_int_equal(SPROFIL(&row, 2, ENTRY(8, 0x1000, 65536), ENTRY(8, 0x1000, 65536)), 1);
	assert_int_equal(SPROFIL(&row, 2, ENTRY(8, 0x1000, 65536), ENTRY(8, 0xfff, 65536)),
			 -EINVAL);
	row.order = ORDER_ANY;
	assert_int_equal(SPROFIL(&row, 2, ENTRY(8, 0x1000, 65536), ENTRY(8, 0xfff, 65536)), 1);
	row.overflow_full = CELL_WRAPS;
	assert_int_equal(SPROFIL(&row, 2, ENTRY(8, 0x1000, 65536), ENTRY(2, 0, 2)), 1);
	assert_int_equal(regions[0].full, CELL_SATURATES);
	assert_int_equal(regions[1].full, CELL_WRAPS);
	row.overflow = OVERFLOW_NONE;
	assert_int_equal(SPROFIL(&row, 2, ENTRY(2, 0, 2), ENTRY(8, 0x1000, 65536)), 1);
	assert_false(regions[0].catch_all);
}

static void others_take_any_order(void **state)
{
	assert_int_equal(SPROFIL(&dialect_linux, 4, ENTRY(64, 0x2000, 65536),
				 ENTRY(64, 0x1000, 65536), ENTRY(64, 0x1004, 65536)),
			 1);
	assert_int_equal(used, 3);
	assert_int_equal(SPROFIL(&dialect_irix, 4, ENTRY(64, 0x2000, 65536),
				 ENTRY(64, 0x1000, 65536), ENTRY(64, 0x1004, 65536)),
			 1);
	assert_int_equal(used, 3);
}

static void overflow_is_last(void **state)
{
	const struct dialect *const dialects[] = {&dialect_irix, &dialect_hpux};

	for (size_t i = 0; i < ARRAY_LENGTH(dialects); i++) {
		assert_int_equal(SPROFIL(dialects[i], 2, ENTRY(2, 0, 2), ENTRY(8, 0x1000, 65536)),
				 -EINVAL);
		assert_int_equal(SPROFIL(dialects[i], 2, ENTRY(8, 0x1000, 65536), ENTRY(2, 0, 2)),
				 1);
		assert_int_equal(used, 2);
		assert_true(regions[1].catch_all);
	}
	assert_int_equal(SPROFIL(&dialect_hpux, 2, ENTRY(4, 0, 2)), -EINVAL);
	assert_int_equal(SPROFIL(&dialect_irix, 2, ENTRY(4, 0, 2)), 1);
}

static void overflow_is_anywhere_in_linux(void **state)
{
	struct region_table *table;

	assert_int_equal(SPROFIL(&dialect_linux, 4, ENTRY(8, 0x1000, 65536), ENTRY(4, 0, 2),
				 ENTRY(8, 0x500, 65536), ENTRY(4, 0, 2)),
			 1);
	assert_int_equal(used, 4);
	assert_true(regions[1].catch_all);
	assert_int_equal(regions[1].full, CELL_SATURATES);
	assert_false(regions[3].catch_all);
	assert_int_equal(region_table_new(regions, used, &table), 0);
	region_table_free(table);
}

static void two_is_ordinary_with_an_offset(void **state)
{
	assert_int_equal(SPROFIL(&dialect_hpux, 2, ENTRY(4, 0x10000, 2)), 1);
	assert_false(regions[0].catch_all);
	assert_int_equal(region_end(&regions[0]), 0x10000 + 2 * 65536);
	assert_int_equal(SPROFIL(&dialect_irix, 2, ENTRY(4, 0x10000, 2)), 1);
	assert_false(regions[0].catch_all);
	assert_int_equal(region_end(&regions[0]), UINTPTR_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_not_in_every_system),
		cmocka_unit_test(counts_its_entries_first),
		cmocka_unit_test(takes_its_system_s_widths),
		cmocka_unit_test(fills_in_what_it_was_given),
		cmocka_unit_test(leaves_out_what_counts_nothing),
		cmocka_unit_test(irix_ends_at_65536),
		cmocka_unit_test(hpux_refuses_sizes),
		cmocka_unit_test(hpux_wants_order),
		cmocka_unit_test(rules_do_not_lean_on_each_other),
		cmocka_unit_test(others_take_any_order),
		cmocka_unit_test(overflow_is_last),
		cmocka_unit_test(overflow_is_anywhere_in_linux),
		cmocka_unit_test(two_is_ordinary_with_an_offset),
	};

	return cmocka_run_group_tests_name("dialect_regions", tests, NULL, NULL);
}
