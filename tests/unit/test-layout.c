// SPDX-License-Identifier: BSD-2-Clause
#include "view/layout.h"

#include "view/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void check_cut(const char *text, size_t width, bool utf8, const char *expected)
{
	char *cut = text_cut(text, width, utf8);

	assert_string_equal(cut, expected);
	assert_true(text_width(cut, utf8) <= width);
	free(cut);
}

static void test_cut(void **state)
{
	check_cut("abcdefghij", 10, true, "abcdefghij");
	check_cut("abcdefghij", 9, true, "abcd…ghij");
	check_cut("abcdefghij", 4, true, "ab…j");
	check_cut("abcdefghij", 1, true, "…");
	check_cut("abcdefghij", 0, true, "");
	check_cut("abcdefghij", 5, false, "ab~ij");
	/* Never within a character. */
	check_cut("äöüßäöüß", 5, true, "äö…üß");
	check_cut("€€€€", 3, true, "€…€");
	/* Some take two columns. */
	check_cut("世界", 4, true, "世界");
	check_cut("世界世界", 7, true, "世…界");
	check_cut("世界世界", 5, true, "世…界");
	check_cut("a世界b", 4, true, "a…b");
	check_cut("😀가x", 4, true, "😀…x");
}

static void put(FILE *out, const char *character, size_t size)
{
	(void)fprintf(out, "[%.*s]", (int)size, character);
}

static void check_each(const char *text, size_t width, const char *expected)
{
	char *printed;
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	text_print_each(out, text, width, put);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(printed, expected);
	free(printed);
}

static void test_each(void **state)
{
	check_each("", 3, "");
	check_each("aö€", SIZE_MAX, "[a][ö][€]");
	check_each("a\xff\n\xe2\x82", 9, "[a][?][?][?][?]");
	/* As text_cut() cuts. */
	check_each("äöüßäöüß", 8, "[ä][ö][ü][ß][ä][ö][ü][ß]");
	check_each("äöüßäöüß", 5, "[ä][ö][…][ü][ß]");
	check_each("abcdefghij", 4, "[a][b][…][j]");
	check_each("abcdefghij", 1, "[…]");
}

static void check_clean(const char *text, const char *expected)
{
	char *printed, *cleaned = strdup(text);
	size_t size;
	FILE *out = open_memstream(&printed, &size);

	text_print(out, text);
	assert_int_equal(fclose(out), 0);
	text_clean(cleaned);
	assert_string_equal(printed, expected);
	assert_string_equal(cleaned, expected);
	free(printed);
	free(cleaned);
}

/* Nothing that drives a terminal is left: of ASCII, of 0x80 to 0x9f, alone or as UTF-8. */
static void test_clean(void **state)
{
	char text[] = "\xc2\x9b\xef\xbf\xbf\xe9";

	check_clean("", "");
	check_clean("a\033[1m\n\x7f", "a?[1m??");
	check_clean("\xc2\x9b"
		    "31m\xc2\x85",
		    "??31m??");
	check_clean("\x9b"
		    "31m\xc2",
		    "?31m\xc2");
	/* What has such a byte within, and what Latin-1 has above them, is shown. */
	check_clean("\xc3\x9b\xe2\x80\x9b\xc2\xa0", "\xc3\x9b\xe2\x80\x9b\xc2\xa0");
	check_clean("gr\xf6\xdf"
		    "e",
		    "gr\xf6\xdf"
		    "e");
	check_each("\xc2\x9b"
		   "1",
		   9, "[?][1]");
	text_clean_utf8(text);
	assert_string_equal(text, "??????");
}

static void test_width(void **state)
{
	assert_int_equal(text_width("", true), 0);
	assert_int_equal(text_width("größe", true), 5);
	assert_int_equal(text_width("größe", false), 7);
	/* Bytes that are no UTF-8 end in no loop and no overrun. */
	assert_int_equal(text_width("\xff\x80\x80z\xc3", true), 3);
}

static void test_numbers(void **state)
{
	assert_string_equal(text_count(0).text, "0");
	assert_string_equal(text_count(999).text, "999");
	assert_string_equal(text_count(1000).text, "1,000");
	assert_string_equal(text_count(1234567).text, "1,234,567");
	assert_string_equal(text_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
	assert_string_equal(text_share(0).text, "0.0 %");
	assert_string_equal(text_share(0.0001).text, "<0.1 %");
	assert_string_equal(text_share(0.6123).text, "61.2 %");
	assert_string_equal(text_share(1).text, "100.0 %");
	assert_string_equal(text_size(1).text, "1 byte");
	assert_string_equal(text_size(1023).text, "1023 bytes");
	assert_string_equal(text_size(1536).text, "1.5 KiB");
	assert_string_equal(text_size((uint64_t)5 << 40).text, "5120.0 GiB");
}

static const struct layout_column columns[] = {
	{"n", .right = true},
	{"name", .shrinks = 6},
	{"object", .shrinks = 4},
};

static char *print(size_t width, bool color)
{
	struct layout layout;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(layout_init(&layout, columns, 3, true), 0);
	assert_int_equal(layout_add(&layout, INK_STRONG, "%d", 1200), 0);
	assert_int_equal(layout_add(&layout, "", "a_rather_long_name"), 0);
	assert_int_equal(layout_add(&layout, "", "lib.so"), 0);
	assert_int_equal(layout_add(&layout, INK_STRONG, "%d", 7), 0);
	assert_int_equal(layout_add(&layout, "", "b\033[1m\n"), 0);
	assert_int_equal(layout_add(&layout, "", "%s", ""), 0);
	layout_fit(&layout, width);
	if (width)
		assert_true(layout_width(&layout) <= width);
	assert_int_equal(layout_print(out, &layout, color), 0);
	assert_int_equal(fclose(out), 0);
	layout_done(&layout);
	return text;
}

static void check_print(size_t width, bool color, const char *expected)
{
	char *text = print(width, color);

	assert_string_equal(text, expected);
	free(text);
}

static void test_columns(void **state)
{
	check_print(0, false,
		    "   n  name                object\n"
		    "1200  a_rather_long_name  lib.so\n"
		    "   7  b?[1m?\n");
	check_print(25, false,
		    "   n  name         object\n"
		    "1200  a_rat…_name  lib.so\n"
		    "   7  b?[1m?\n");
	check_print(25, true,
		    "   \033[2mn\033[0m  \033[2mname\033[0m         \033[2mobject\033[0m\n"
		    "\033[1m1200\033[0m  a_rat…_name  lib.so\n"
		    "   \033[1m7\033[0m  b?[1m?\n");
}

static void test_too_narrow(void **state)
{
	struct layout layout;

	assert_int_equal(layout_init(&layout, columns, 3, true), 0);
	assert_int_equal(layout_add(&layout, "", "123456"), 0);
	assert_int_equal(layout_add(&layout, "", "123456789"), 0);
	assert_int_equal(layout_add(&layout, "", "123456789"), 0);
	layout_fit(&layout, 5);
	assert_int_equal(layout_width(&layout), 6 + 2 + 6 + 2 + 4);
	layout_done(&layout);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),	   cmocka_unit_test(test_each),
		cmocka_unit_test(test_clean),	   cmocka_unit_test(test_width),
		cmocka_unit_test(test_numbers),	   cmocka_unit_test(test_columns),
		cmocka_unit_test(test_too_narrow),
	};

	return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
