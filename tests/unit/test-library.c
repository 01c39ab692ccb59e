// SPDX-License-Identifier: BSD-2-Clause
#include "base/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static void test_load(void **state)
{
	int (*absolute)(int) = NULL;
	const struct library_call calls[] = {{"abs", &absolute}};

	assert_true(library_load("libc.so.6", calls, 1));
	assert_int_equal(absolute(-3), 3);
}

static void test_not_here(void **state)
{
	void (*nothing)(void) = NULL;
	const struct library_call calls[] = {{"profil_no_such_call", &nothing}};

	assert_false(library_load("libprofil-no-such.so.0", calls, 1));
	assert_false(library_load("libc.so.6", calls, 1));
	assert_null(nothing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_not_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
