// SPDX-License-Identifier: BSD-2-Clause
#include "view/grid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void check(void print(FILE *, const char *), const char *text, const char *expected)
{
	size_t size;
	char *quoted;
	FILE *out = open_memstream(&quoted, &size);

	assert_non_null(out);
	print(out, text);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(quoted, expected);
	free(quoted);
}

static void test_json_escapes(void **state)
{
	check(json_print_string, "", "\"\"");
	check(json_print_string, "operator\"\" \\x", "\"operator\\\"\\\" \\\\x\"");
	check(json_print_string, "a\tb\nc\x01\x1f\x7f",
	      "\"a\\u0009b\\u000ac\\u0001\\u001f\\u007f\"");
}

static void test_json_keeps_utf8(void **state)
{
	check(json_print_string, "größe €", "\"größe €\"");
	check(json_print_string, "\xf0\x9f\x98\x80\xed\x9f\xbf\xee\x80\x80",
	      "\"\xf0\x9f\x98\x80\xed\x9f\xbf\xee\x80\x80\"");
}

static void test_json_replaces_what_is_no_utf8(void **state)
{
	check(json_print_string, "\xff", "\"\\ufffd\"");
	check(json_print_string, "a\x80z", "\"a\\ufffdz\"");
	check(json_print_string, "\xe2\x82", "\"\\ufffd\\ufffd\"");	       /* cut short */
	check(json_print_string, "\xc0\xaf", "\"\\ufffd\\ufffd\"");	       /* overlong */
	check(json_print_string, "\xe0\x80\xaf", "\"\\ufffd\\ufffd\\ufffd\""); /* overlong */
	check(json_print_string, "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""); /* surrogate */
	check(json_print_string, "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

/* Of 0x80 to 0x9f too, which terminals obey. */
static void test_json_escapes_c1(void **state)
{
	check(json_print_string, "\xc2\x9b\xc2\x80\xc2\xa0", "\"\\u009b\\u0080\xc2\xa0\"");
}

static void test_csv_quotes(void **state)
{
	check(csv_print_field, "plain name", "plain name");
	check(csv_print_field, "", "");
	check(csv_print_field, "map<int, char>", "\"map<int, char>\"");
	check(csv_print_field, "operator\"\"_s", "\"operator\"\"\"\"_s\"");
	check(csv_print_field, "a\nb", "\"a\nb\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_escapes),
		cmocka_unit_test(test_json_keeps_utf8),
		cmocka_unit_test(test_json_replaces_what_is_no_utf8),
		cmocka_unit_test(test_json_escapes_c1),
		cmocka_unit_test(test_csv_quotes),
	};

	return cmocka_run_group_tests_name("quoting", tests, NULL, NULL);
}
