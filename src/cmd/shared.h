/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/option.h"

/* The options that several commands have, each written once: its key, and its row in their tables.
 * Where its words are not the same for all, a row is given them: the GROUP that begins with it, or
 * its HELP. */

enum {
	KEY_BY = OPTION_LONG_ONLY,
	KEY_OBJECT,
	KEY_FUNCTION,
	KEY_MAP,
	KEY_PROGRAM,
	KEY_FOR,
	KEY_NO_REPORT,
	KEY_JSON,
	KEY_CSV,
	KEY_MARKDOWN,
	KEY_COLOR,
	KEY_ONLY_PID,
	KEY_ONLY_TID,
	KEY_ONLY_COMM,
	KEY_UNDER,
	KEY_INLINES,
	KEY_MIN,
	KEY_MEASURING, /* and on: measuring.c's, which are behind those of other commands */
	KEY_OWN = OPTION_LONG_ONLY + 100, /* and on: what one command has for itself */
};

/* What is chosen from says it all. */
#define OPTION_BY_ROW(group, choices_)                                                   \
	{                                                                                \
		KEY_BY, "by", "WHAT", choices_, group, VALUE_CHOICE, .choices = choices_ \
	}

#define OPTION_ROWS_ROW(help)                                                     \
	{                                                                         \
		'n', "rows", "N", help, NULL, VALUE_COUNT,                        \
			.max = 1 << 30, .accepted = "a number of rows, 0 for all" \
	}

#define OPTION_OBJECT_ROW(help)                                      \
	{                                                            \
		KEY_OBJECT, "object", "NAME", help, NULL, VALUE_TEXT \
	}

/* KEY_FUNCTION, or a letter. */
#define OPTION_FUNCTION_ROW(key)                                                                 \
	{                                                                                        \
		key, "function", "REGEX", "only functions that match this extended regex", NULL, \
			VALUE_TEXT                                                               \
	}

/* Of a command that shows a profile: of whose ticks alone (analysis/filter.h). */
#define OPTION_ONLY_ROW(key, name, whose)                                              \
	{                                                                              \
		key, name, "N", "only the " whose " with this ID", NULL, VALUE_COUNT,  \
			.min = 1, .max = 1 << 30, .accepted = "the number of a " whose \
	}
#define OPTION_FILTER_ROWS                                                                     \
	OPTION_ONLY_ROW(KEY_ONLY_PID, "pid", "process"),                                       \
		OPTION_ONLY_ROW(KEY_ONLY_TID, "tid", "thread"),                                \
	{                                                                                      \
		KEY_ONLY_COMM, "comm", "NAME", "only processes or threads of this name", NULL, \
			VALUE_TEXT                                                             \
	}

/* Of one that shows them by their call stacks, too. */
#define OPTION_UNDER_ROW                                                                       \
	{                                                                                      \
		KEY_UNDER, "under", "REGEX", "only samples with such a function on the stack", \
			NULL, VALUE_TEXT                                                       \
	}

/* In millionths. */
#define OPTION_MIN_ROW(help)                                              \
	{                                                                 \
		KEY_MIN, "min", "PART", help, NULL, VALUE_PERCENT,        \
			.max = 1000000, .accepted = "0% to 100%, as 0.5%" \
	}
#define MIN_USUAL 5000

#define OPTION_INPUT_ROW                                                         \
	{                                                                        \
		'i', "input", "FILE", "the same as FILE alone", NULL, VALUE_FILE \
	}

/* What reading_take() takes of every command that can show call stacks. */
#define OPTION_READING_ROWS \
	OPTION_PROGRAM_ROW(PROGRAM_HELP), OPTION_FILTER_ROWS, OPTION_UNDER_ROW, OPTION_INPUT_ROW

#define OPTION_INLINES_ROW(help)                   \
	{                                          \
		KEY_INLINES, "inlines", NULL, help \
	}

#define OPTION_MAP_ROW(help)                                   \
	{                                                      \
		KEY_MAP, "map", "FILE", help, NULL, VALUE_FILE \
	}
#define MAP_HELP "the MAP file of a DOS program (beside the .PRF)"

#define OPTION_PROGRAM_ROW(help)                                       \
	{                                                              \
		KEY_PROGRAM, "program", "FILE", help, NULL, VALUE_FILE \
	}
#define PROGRAM_HELP "the program that a gmon.out or gperftools' file is of"

#define OPTION_OUTPUT_ROW(group, help)                         \
	{                                                      \
		'o', "output", "FILE", help, group, VALUE_FILE \
	}
#define OPTION_PROFILE_ROW OPTION_OUTPUT_ROW("Profile", "write the profile to FILE (profil.pb.gz)")

#define OPTION_NO_REPORT_ROW                                                                 \
	{                                                                                    \
		KEY_NO_REPORT, "no-report", NULL, "write the profile and show nothing of it" \
	}

#define OPTION_JSON_ROW(group)                                         \
	{                                                              \
		KEY_JSON, "json", NULL, "print one JSON object", group \
	}
#define OPTION_CSV_ROW(help)               \
	{                                  \
		KEY_CSV, "csv", NULL, help \
	}
#define OPTION_MARKDOWN_ROW(help)                    \
	{                                            \
		KEY_MARKDOWN, "markdown", NULL, help \
	}

/* WHAT: "colour: ", or another word before the values. */
#define OPTION_COLOR_ROW(what)                                                                     \
	{                                                                                          \
		KEY_COLOR, "color", "WHEN", what "auto, always, never (auto)", NULL, VALUE_CHOICE, \
			.choices = "auto|always|never"                                             \
	}

/* The forms of a table, the last rows of a command that prints one. */
#define OPTION_TABLE_FORM_ROWS(color)                                                      \
	OPTION_JSON_ROW("Form"), OPTION_CSV_ROW("print comma-separated values"),           \
		OPTION_MARKDOWN_ROW("print a table in Markdown"), OPTION_COLOR_ROW(color), \
		OPTION_HELP_ROW
