// SPDX-License-Identifier: BSD-2-Clause
#include "base/parse.h"

#include "base/array.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit rate_units[] = {
	{"", 1}, {"Hz", 1}, {"hz", 1}, {"kHz", 1000}, {"khz", 1000}, {"k", 1000},
};

static const struct unit time_units[] = {
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000000},
	{"", 1000000000},
	{"s", 1000000000},
	{"m", 60 * 1000000000ull},
	{"min", 60 * 1000000000ull},
	{"h", 3600 * 1000000000ull},
	{"d", 24 * 3600 * 1000000000ull},
};

static const struct unit size_units[] = {
	{"", 1},
	{"B", 1},
	{"kB", 1000},
	{"MB", 1000000},
	{"GB", 1000000000},
	{"TB", 1000000000000},
	{"KiB", 1ull << 10},
	{"MiB", 1ull << 20},
	{"GiB", 1ull << 30},
	{"TiB", 1ull << 40},
};

/* Parts of a million. */
static const struct unit part_units[] = {{"%", 10000}};

/* Digits with at most one point, then a unit; the product is exact for up to nine decimals. */
static int parse_scaled(const char *text, const struct unit *units, size_t unit_count, uint64_t min,
			uint64_t max, uint64_t *ret_value)
{
	long double value;
	char *end;

	if (!isdigit((unsigned char)*text) || strpbrk(text, "xXeE"))
		return -EINVAL;
	value = strtold(text, &end);
	for (size_t i = 0; i < unit_count; i++) {
		if (strcmp(end, units[i].name))
			continue;
		value *= (long double)units[i].factor;
		/* 1.1 has no exact binary form, so nearly whole is whole; 1.5 Hz is not. */
		if (fabsl(value - roundl(value)) > 1e-6L)
			return -EINVAL;
		if (value < (long double)min || value > (long double)max)
			return -ERANGE;
		*ret_value = (uint64_t)roundl(value);
		return 0;
	}
	return -EINVAL;
}

int parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *ret_value)
{
	static const struct unit none[] = {{"", 1}};

	if (strchr(text, '.'))
		return -EINVAL;
	return parse_scaled(text, none, 1, min, max, ret_value);
}

int parse_rate(const char *text, uint64_t min, uint64_t max, uint64_t *ret_hertz)
{
	return parse_scaled(text, rate_units, ARRAY_LENGTH(rate_units), min, max, ret_hertz);
}

int parse_duration(const char *text, uint64_t min, uint64_t max, uint64_t *ret_ns)
{
	return parse_scaled(text, time_units, ARRAY_LENGTH(time_units), min, max, ret_ns);
}

int parse_size(const char *text, uint64_t min, uint64_t max, uint64_t *ret_bytes)
{
	return parse_scaled(text, size_units, ARRAY_LENGTH(size_units), min, max, ret_bytes);
}

int parse_percent(const char *text, uint64_t min, uint64_t max, uint64_t *ret_millionths)
{
	return parse_scaled(text, part_units, ARRAY_LENGTH(part_units), min, max, ret_millionths);
}
