// SPDX-License-Identifier: BSD-2-Clause
#include "base/parse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void counts_are_digits_and_nothing_else(void **state)
{
	static const char *const bad[] = {"",	  "-1",	 "+1",	" 1",  "1 ",
					  "0x10", "1e3", "1.5", "ten", "1k"};
	uint64_t value = 7;

	(void)state;
	assert_int_equal(parse_count("0", 0, 10, &value), 0);
	assert_int_equal(value, 0);
	assert_int_equal(parse_count("18446744073709551615", 0, UINT64_MAX, &value), 0);
	assert_true(value == UINT64_MAX);
	value = 7;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse_count(bad[i], 0, UINT64_MAX, &value), -EINVAL);
	assert_int_equal(value, 7);
}

static void bounds_are_inclusive(void **state)
{
	uint64_t value = 7;

	(void)state;
	assert_int_equal(parse_count("3", 3, 5, &value), 0);
	assert_int_equal(parse_count("5", 3, 5, &value), 0);
	assert_int_equal(value, 5);
	assert_int_equal(parse_count("2", 3, 5, &value), -ERANGE);
	assert_int_equal(parse_count("6", 3, 5, &value), -ERANGE);
	assert_int_equal(parse_count("18446744073709551616", 0, UINT64_MAX, &value), -ERANGE);
	assert_int_equal(parse_count("99999999999999999999999999", 0, UINT64_MAX, &value), -ERANGE);
	assert_int_equal(value, 5);
}

static void rates_take_hertz_and_kilohertz(void **state)
{
	uint64_t hertz = 0;

	(void)state;
	assert_int_equal(parse_rate("997", 1, 100000, &hertz), 0);
	assert_int_equal(hertz, 997);
	assert_int_equal(parse_rate("997Hz", 1, 100000, &hertz), 0);
	assert_int_equal(hertz, 997);
	assert_int_equal(parse_rate("1.5kHz", 1, 100000, &hertz), 0);
	assert_int_equal(hertz, 1500);
	assert_int_equal(parse_rate("0", 1, 100000, &hertz), -ERANGE);
	assert_int_equal(parse_rate("100001", 1, 100000, &hertz), -ERANGE);
	assert_int_equal(parse_rate("997ms", 1, 100000, &hertz), -EINVAL);
	assert_int_equal(parse_rate("x", 1, 100000, &hertz), -EINVAL);
	assert_int_equal(parse_rate("1.5", 1, 100000, &hertz), -EINVAL);
}

static void times_take_units_and_seconds_without(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} times[] = {
		{"10ms", 10000000},	{"1.5s", 1500000000},  {"250us", 250000},
		{"100ns", 100},		{"2", 2000000000},     {"2m", 120000000000},
		{"2min", 120000000000}, {"1h", 3600000000000}, {"0.000000001", 1},
		{"1.1us", 1100},
	};
	uint64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		assert_int_equal(parse_duration(times[i].text, 0, UINT64_MAX, &ns), 0);
		assert_true(ns == times[i].ns);
	}
	assert_int_equal(parse_duration("10 ms", 0, UINT64_MAX, &ns), -EINVAL);
	assert_int_equal(parse_duration("10days", 0, UINT64_MAX, &ns), -EINVAL);
	assert_int_equal(parse_duration("1e9", 0, UINT64_MAX, &ns), -EINVAL);
}

static void test_percent(void **state)
{
	uint64_t part;

	assert_int_equal(parse_percent("5%", 0, 1000000, &part), 0);
	assert_int_equal(part, 50000);
	assert_int_equal(parse_percent("0.25%", 0, 1000000, &part), 0);
	assert_int_equal(part, 2500);
	assert_int_equal(parse_percent("0%", 0, 1000000, &part), 0);
	assert_int_equal(part, 0);
	assert_int_equal(parse_percent("101%", 0, 1000000, &part), -ERANGE);
	assert_int_equal(parse_percent("5", 0, 1000000, &part), -EINVAL);
	assert_int_equal(parse_percent("5 %", 0, 1000000, &part), -EINVAL);
	assert_int_equal(parse_percent("-5%", 0, 1000000, &part), -EINVAL);
	assert_int_equal(parse_percent("%", 0, 1000000, &part), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_digits_and_nothing_else),
		cmocka_unit_test(bounds_are_inclusive),
		cmocka_unit_test(rates_take_hertz_and_kilohertz),
		cmocka_unit_test(times_take_units_and_seconds_without),
		cmocka_unit_test(test_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
