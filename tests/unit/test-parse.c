// SPDX-License-Identifier: BSD-2-Clause
#include "base/parse.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/array.h"

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

/* What a word is read as, within bounds. */
struct reading {
	const char *text;
	int ret;
	uint64_t value; /* where RET is 0 */
};

static void check_readings(int (*parse)(const char *text, uint64_t min, uint64_t max,
					uint64_t *ret_value),
			   uint64_t min, uint64_t max, const struct reading *readings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value = 7;

		if (parse(readings[i].text, min, max, &value) != readings[i].ret)
			fail_msg("'%s' does not return %d", readings[i].text, readings[i].ret);
		if (value != (readings[i].ret ? 7 : readings[i].value))
			fail_msg("'%s' is read as %llu", readings[i].text,
				 (unsigned long long)value);
	}
}

static void rates_take_hertz_and_kilohertz(void **state)
{
	static const struct reading rates[] = {
		{"997", 0, 997},     {"997Hz", 0, 997},	 {"1.5kHz", 0, 1500}, {"0", -ERANGE},
		{"100001", -ERANGE}, {"997ms", -EINVAL}, {"x", -EINVAL},      {"1.5", -EINVAL},
	};

	(void)state;
	check_readings(parse_rate, 1, 100000, rates, ARRAY_LENGTH(rates));
}

static void times_take_units_and_seconds_without(void **state)
{
	static const struct reading times[] = {
		{"10ms", 0, 10000000},	   {"1.5s", 0, 1500000000},  {"250us", 0, 250000},
		{"100ns", 0, 100},	   {"2", 0, 2000000000},     {"2m", 0, 120000000000},
		{"2min", 0, 120000000000}, {"1h", 0, 3600000000000}, {"7d", 0, 604800000000000},
		{"0.000000001", 0, 1},	   {"1.1us", 0, 1100},	     {"10 ms", -EINVAL},
		{"10days", -EINVAL},	   {"1e9", -EINVAL},
	};

	(void)state;
	check_readings(parse_duration, 0, UINT64_MAX, times, ARRAY_LENGTH(times));
}

static void sizes_are_in_bytes(void **state)
{
	static const struct reading sizes[] = {
		{"1048576", 0, 1048576}, {"500MB", 0, 500000000}, {"1.5GB", 0, 1500000000},
		{"64MiB", 0, 67108864},	 {"1TiB", 0, 1ull << 40}, {"2kB", 0, 2000},
		{"5 GB", -EINVAL},	 {"5Gb", -EINVAL},	  {"0.1B", -EINVAL},
		{"-1", -EINVAL},
	};

	(void)state;
	check_readings(parse_size, 0, UINT64_MAX, sizes, ARRAY_LENGTH(sizes));
}

static void parts_are_in_percent(void **state)
{
	static const struct reading parts[] = {
		{"5%", 0, 50000}, {"0.25%", 0, 2500}, {"0%", 0, 0},	{"101%", -ERANGE},
		{"5", -EINVAL},	  {"5 %", -EINVAL},   {"-5%", -EINVAL}, {"%", -EINVAL},
	};

	(void)state;
	check_readings(parse_percent, 0, 1000000, parts, ARRAY_LENGTH(parts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_are_digits_and_nothing_else),
		cmocka_unit_test(bounds_are_inclusive),
		cmocka_unit_test(rates_take_hertz_and_kilohertz),
		cmocka_unit_test(times_take_units_and_seconds_without),
		cmocka_unit_test(sizes_are_in_bytes),
		cmocka_unit_test(parts_are_in_percent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
