// SPDX-License-Identifier: BSD-2-Clause
#include "base/strings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static void the_empty_string_is_zero(void **state)
{
	struct strings *strings = strings_new();
	uint32_t id = 7;

	(void)state;
	assert_non_null(strings);
	assert_int_equal(strings_count(strings), 1);
	assert_int_equal(strings_add(strings, "", 0, &id), 0);
	assert_int_equal(id, 0);
	assert_string_equal(strings_get(strings, 0), "");
	assert_string_equal(strings_get(strings, 12345), "");
	strings_free(strings);
	strings_free(NULL);
}

/* Enough to grow every table several times; each is asked for again, and has kept its number. */
static void equal_strings_have_equal_numbers(void **state)
{
	struct strings *strings = strings_new();
	char text[32];
	uint32_t id;

	(void)state;
	for (uint32_t i = 1; i <= 20000; i++) {
		int length = snprintf(text, sizeof(text), "name %u", i);

		assert_int_equal(strings_add(strings, text, (size_t)length, &id), 0);
		assert_int_equal(id, i);
	}
	for (uint32_t i = 20000; i >= 1; i--) {
		int length = snprintf(text, sizeof(text), "name %u", i);

		assert_int_equal(strings_add(strings, text, (size_t)length, &id), 0);
		assert_int_equal(id, i);
		assert_string_equal(strings_get(strings, i), text);
	}
	assert_int_equal(strings_count(strings), 20001);
	strings_free(strings);
}

static void the_length_decides_not_the_terminator(void **state)
{
	struct strings *strings = strings_new();
	uint32_t abc, ab, inner;

	(void)state;
	assert_int_equal(strings_add(strings, "abc", 3, &abc), 0);
	assert_int_equal(strings_add(strings, "abc", 2, &ab), 0);
	assert_int_equal(strings_add(strings, "ab\0c", 4, &inner), 0);
	assert_int_not_equal(abc, ab);
	assert_int_not_equal(ab, inner);
	assert_string_equal(strings_get(strings, ab), "ab");
	assert_memory_equal(strings_get(strings, inner), "ab\0c", 5);
	strings_free(strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_empty_string_is_zero),
		cmocka_unit_test(equal_strings_have_equal_numbers),
		cmocka_unit_test(the_length_decides_not_the_terminator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
