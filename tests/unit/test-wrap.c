// SPDX-License-Identifier: BSD-2-Clause
#include "view/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void check(const char *text, size_t width, const char *expected)
{
	size_t size;
	char *wrapped;
	FILE *out = open_memstream(&wrapped, &size);

	assert_non_null(out);
	wrap_print(out, text, width, true);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(wrapped, expected);
	free(wrapped);
}

static void test_lines_that_fit_stay(void **state)
{
	check("", 10, "");
	check("\n\n", 10, "\n\n");
	check("one two 10\nnext\n", 10, "one two 10\nnext\n");
	check("größe größ\n", 10, "größe größ\n");
}

static void test_breaks_at_blanks(void **state)
{
	check("one two three four five six\n", 10, "one two\n  three\n  four\n  five six\n");
	check("one   two\n", 5, "one\n  two\n");
	check("now 12.5 %\n", 9, "now\n  12.5 %\n");
	check("  indented line\n", 10, "  indented\n  line\n");
}

static void test_words_too_long_stand_out(void **state)
{
	check("abcdefghijklmno\n", 5, "abcdefghijklmno\n");
	check("abcdefgh ij\n", 5, "abcdefgh\n  ij\n");
	check("  abcdefgh\n", 5, "  abcdefgh\n");
}

static void test_colours_take_no_room(void **state)
{
	check("\033[33mone\033[0m \033[1mtwo\033[0m\n", 7,
	      "\033[33mone\033[0m \033[1mtwo\033[0m\n");
	check("\033[33mone two\033[0m\n", 6, "\033[33mone\n  two\033[0m\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_that_fit_stay),
		cmocka_unit_test(test_breaks_at_blanks),
		cmocka_unit_test(test_words_too_long_stand_out),
		cmocka_unit_test(test_colours_take_no_room),
	};

	return cmocka_run_group_tests_name("wrap", tests, NULL, NULL);
}
