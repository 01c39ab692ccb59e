// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/demangle.h"

#include "base/array.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int make(void **state)
{
	*state = demangler_new();
	return *state ? 0 : -1;
}

static int unmake(void **state)
{
	demangler_free(*state);
	return 0;
}

static void names_are_shown_as_written(void **state)
{
	static const struct {
		const char *system, *shown;
	} cases[] = {
		{"_ZN3foo3barEi", "foo::bar(int)"},
		{"_ZNSt6vectorIiSaIiEE9push_backEOi",
		 "std::vector<int, std::allocator<int> >::push_back(int&&)"},
		{"_Z3fooi.cold", "foo(int) [clone .cold]"},
		{"_Z3fooi.constprop.0.isra.0", "foo(int) [clone .constprop.0] [clone .isra.0]"},
		{"_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad"},
		{"_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar"},
		{"_ZdlPv@plt", "operator delete(void*)@plt"},
		{"_ZdlPv@@GLIBCXX_3.4", "operator delete(void*)"},
		{"_IO_file_write@@GLIBC_2.2.5", "_IO_file_write"},
		{"main", "main"},
		{"main.cold", "main.cold"},
		{"foo.isra.0", "foo.isra.0"},
		{"_start", "_start"},
		{"_Zrubbish", "_Zrubbish"},
		{"_R", "_R"},
		{"", ""},
	};
	const char *system, *shown;

	/* The second time it is known already. */
	for (size_t i = 0; i < 2 * ARRAY_LENGTH(cases); i++) {
		size_t row = i % ARRAY_LENGTH(cases);

		assert_int_equal(demangler_show(*state, cases[row].system, &system, &shown), 0);
		assert_string_equal(system, cases[row].system);
		assert_string_equal(shown, cases[row].shown);
	}
}

/* f(pair<int, int>, pair<that, that>, pair<that, that>, ...): each doubles the one before. */
static void text_that_would_grow_without_end_is_left_mangled(void **state)
{
	char name[1024] = "_Z1fSt4pairIiiE";
	const char *system, *shown;
	size_t length = strlen(name);

	length += (size_t)sprintf(name + length, "S_IS0_S0_E");
	for (int i = 1; i < 30; i++) {
		static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

		length += (size_t)sprintf(name + length, "S_IS%c_S%c_E", digits[i], digits[i]);
	}
	assert_int_equal(demangler_show(*state, name, &system, &shown), 0);
	assert_string_equal(shown, name);
}

static void very_long_names_are_left_mangled(void **state)
{
	char name[10000] = "_Z9000";
	const char *system, *shown;

	memset(name + 6, 'a', 9000);
	assert_int_equal(demangler_show(*state, name, &system, &shown), 0);
	assert_string_equal(shown, name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_shown_as_written),
		cmocka_unit_test(text_that_would_grow_without_end_is_left_mangled),
		cmocka_unit_test(very_long_names_are_left_mangled),
	};

	return cmocka_run_group_tests(tests, make, unmake);
}
