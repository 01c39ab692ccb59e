/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/option.h"

/* The options that several commands have, each row written once; those of reading a profile are in
 * reading.h.  Where its words are not the same for all, a row is given them: the GROUP that begins
 * with it, or its HELP; and behind them INTO() or what else is to become of its value. */

/* What is chosen from says it all. */
#define OPTION_BY_ROW(group, choices_, ...)                                                      \
	{                                                                                        \
		0, "by", "WHAT", choices_, group, VALUE_CHOICE, .choices = choices_, __VA_ARGS__ \
	}

#define OPTION_ROWS_ROW(help, ...)                                                             \
	{                                                                                      \
		'n', "rows", "N", help, NULL, VALUE_COUNT,                                     \
			.max = 1 << 30, .accepted = "a number of rows, 0 for all", __VA_ARGS__ \
	}
/* Before the option is read: as many as the form usually has. */
#define ROWS_OF_FORM SIZE_MAX

#define OPTION_OBJECT_ROW(help, ...)                                     \
	{                                                                \
		0, "object", "NAME", help, NULL, VALUE_TEXT, __VA_ARGS__ \
	}

#define OPTION_FUNCTION_ROW(letter, ...)                                                      \
	{                                                                                     \
		letter, "function", "REGEX", "only functions that match this extended regex", \
			NULL, VALUE_TEXT, __VA_ARGS__                                         \
	}

/* What is added up: 0, samples, or the enum histogram_value and 1. */
#define OPTION_VALUE_CHOICE(value, type, unit) "|" type
#define OPTION_VALUE_ROW(help, ...)                                                        \
	{                                                                                  \
		0, "value", "WHAT", help, NULL, VALUE_CHOICE,                              \
			.choices = "cpu" HISTOGRAM_STACK_VALUES_EACH(OPTION_VALUE_CHOICE), \
			__VA_ARGS__                                                        \
	}

/* In millionths. */
#define OPTION_MIN_ROW(help, ...)                                                      \
	{                                                                              \
		0, "min", "PART", help, NULL, VALUE_PERCENT,                           \
			.max = 1000000, .accepted = "0% to 100%, as 0.5%", __VA_ARGS__ \
	}
#define MIN_USUAL 5000

#define OPTION_INLINES_ROW(help, ...)                 \
	{                                             \
		0, "inlines", NULL, help, __VA_ARGS__ \
	}

#define OPTION_MAP_ROW(help, ...)                                     \
	{                                                             \
		0, "map", "FILE", help, NULL, VALUE_FILE, __VA_ARGS__ \
	}

#define OPTION_PROGRAM_ROW(help, ...)                                     \
	{                                                                 \
		0, "program", "FILE", help, NULL, VALUE_FILE, __VA_ARGS__ \
	}

#define OPTION_OUTPUT_ROW(group, help, ...)                                 \
	{                                                                   \
		'o', "output", "FILE", help, group, VALUE_FILE, __VA_ARGS__ \
	}
