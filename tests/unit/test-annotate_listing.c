// SPDX-License-Identifier: BSD-2-Clause
#include "view/annotate_section.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ROWS 8

static const uint64_t ticks[ROWS] = {0, 5, 5, 9, 0, 5, 1, 0};

/* ROWS, heap, are EXPECTED: those that are true as "#". */
static void check_rows(bool *rows, const char *expected)
{
	char text[ROWS + 1] = "";

	assert_non_null(rows);
	for (size_t i = 0; i < ROWS; i++)
		text[i] = rows[i] ? '#' : '.';
	assert_string_equal(text, expected);
	free(rows);
}

/* The rows that are marked where HOTTEST count. */
static void check_marks(size_t hottest, const char *expected)
{
	const struct annotate_style style = {.hottest = hottest};

	check_rows(annotate_mark(&style, ticks, ROWS), expected);
}

static void test_mark(void **state)
{
	check_marks(0, ".###.##.");
	check_marks(100, ".###.##.");
	/* No row without ticks, however many may be shown. */
	check_marks(ROWS, ".###.##.");
	check_marks(6, ".###.##.");
	check_marks(4, ".###.#..");
	/* Of equal ones the first, so many as there is room for. */
	check_marks(3, ".###....");
	check_marks(2, ".#.#....");
	check_marks(1, "...#....");
}

static void check_shown(size_t context, bool all, const char *expected)
{
	const struct annotate_style style = {.context = context, .all = all};
	const bool marked[ROWS] = {false, false, true, false, false, false, false, true};

	check_rows(annotate_choose(&style, marked, ROWS), expected);
}

static void test_choose(void **state)
{
	check_shown(0, false, "..#....#");
	check_shown(1, false, "####..##");
	check_shown(2, false, "########");
	check_shown(0, true, "########");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mark),
		cmocka_unit_test(test_choose),
	};

	return cmocka_run_group_tests_name("annotate_listing", tests, NULL, NULL);
}
