// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/hex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_field_ends_with_a_blank(void **state)
{
	const char *text = "fFffffff81000000 7f\trest";
	uint64_t value;

	assert_true(hex_field(&text, &value));
	assert_int_equal(value, 0xffffffff81000000);
	assert_true(hex_field(&text, &value));
	assert_int_equal(value, 0x7f);
	assert_string_equal(text, "rest");
}

static void what_is_no_number_is_refused(void **state)
{
	static const char *const refused[] = {"",      " 1 ", "12",  "12\n",
					      "0x12 ", "-1 ", "1g ", "10000000000000000 "};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		const char *text = refused[i];
		uint64_t value = 42;

		assert_false(hex_field(&text, &value));
		assert_int_equal(value, 42);
		assert_ptr_equal(text, refused[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_field_ends_with_a_blank),
		cmocka_unit_test(what_is_no_number_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
