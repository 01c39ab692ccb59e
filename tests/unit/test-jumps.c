// SPDX-License-Identifier: BSD-2-Clause
#include "view/jumps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void expect(struct jump *list, size_t count, size_t rows, bool utf8,
		   const char *const *lines)
{
	struct jumps jumps;
	char text[JUMPS_TEXT];

	assert_int_equal(jumps_draw(list, count, rows, utf8, &jumps), 0);
	for (size_t i = 0; i < rows; i++) {
		jumps_text(&jumps, i, text);
		assert_string_equal(text, lines[i]);
	}
	jumps_done(&jumps);
}

static void test_none(void **state)
{
	const char *const lines[] = {"", ""};
	struct jump itself = {1, 1};

	expect(NULL, 0, 2, true, lines);
	expect(&itself, 1, 2, true, lines);
}

static void test_back_and_forth(void **state)
{
	const char *const back[] = {"   ", "╭▸ ", "│  ", "╰─ "};
	const char *const forth[] = {".- ", "|  ", "`> ", "   "};
	struct jump up = {3, 1}, down = {0, 2};

	expect(&up, 1, 4, true, back);
	expect(&down, 1, 4, false, forth);
}

static void test_nested(void **state)
{
	const char *const lines[] = {"╭─▸ ", "│╭▸ ", "│╰─ ", "╰── "};
	const char *const plain[] = {".-> ", "|.> ", "|`- ", "`-- "};
	struct jump list[] = {{3, 0}, {2, 1}};

	expect(list, 2, 4, true, lines);
	expect(list, 2, 4, false, plain);
}

static void test_crossing(void **state)
{
	/* 0 to 2, and 3 back to 1: the outer one's lower end crosses nothing, its upper end the
	 * inner one's line. */
	const char *const lines[] = {" ╭─ ", "╭┼▸ ", "│╰▸ ", "╰── "};
	struct jump list[] = {{0, 2}, {3, 1}};

	expect(list, 2, 4, true, lines);
}

static void test_no_room(void **state)
{
	struct jump list[20];
	struct jumps jumps;
	char text[JUMPS_TEXT];

	for (uint32_t i = 0; i < 20; i++)
		list[i] = (struct jump){20 - i, 21 + i};
	assert_int_equal(jumps_draw(list, 20, 64, true, &jumps), 0);
	assert_int_equal(jumps.lanes, 6);
	for (size_t i = 0; i < 64; i++)
		jumps_text(&jumps, i, text);
	jumps_done(&jumps);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),	cmocka_unit_test(test_back_and_forth),
		cmocka_unit_test(test_nested),	cmocka_unit_test(test_crossing),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
