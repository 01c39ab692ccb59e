// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "analysis/table.h"
#include "cmd/calls.h"
#include "cmd/reading.h"

#include <errno.h>

/* Options without a letter. */
enum {
	KEY_BY = OPTION_LONG_ONLY,
	KEY_OBJECT,
	KEY_FUNCTION,
	KEY_CALLS,
	KEY_MAP,
	KEY_PROGRAM,
	KEY_JSON,
	KEY_CSV,
	KEY_MARKDOWN,
	KEY_COLOR,
};

const struct option_row report_options[] = {
	{KEY_BY, "by", "WHAT", "function, line, address, object, process, thread, cpu, cgroup",
	 "Rows", VALUE_CHOICE, .choices = "function|line|address|object|process|thread|cpu|cgroup"},
	{'n', "rows", "N", "show at most N rows, 0 for all (25; json, csv: all)", NULL, VALUE_COUNT,
	 .max = 1 << 30, .accepted = "a number of rows, 0 for all"},
	{KEY_OBJECT, "object", "NAME", "only code of this file, by base name or path", NULL,
	 VALUE_TEXT},
	{KEY_FUNCTION, "function", "REGEX", "only functions that match this extended regex", NULL,
	 VALUE_TEXT},
	{KEY_CALLS, "calls", NULL, "each function's callers and callees (of -pg programs)"},
	{KEY_MAP, "map", "FILE", "the MAP file of a DOS program (beside the .PRF)", NULL,
	 VALUE_FILE},
	{KEY_PROGRAM, "program", "FILE", "the program that a gmon.out or gperftools' file is of",
	 NULL, VALUE_FILE},

	{KEY_JSON, "json", NULL, "print one JSON object", "Form"},
	{KEY_CSV, "csv", NULL, "print comma-separated values"},
	{KEY_MARKDOWN, "markdown", NULL, "print a table in Markdown"},
	{KEY_COLOR, "color", "WHEN", "colour and bars: auto, always, never (auto)", NULL,
	 VALUE_CHOICE, .choices = READING_COLORS},
	OPTION_HELP_ROW,
	{0},
};

#define ROWS_USUAL 25

struct report_options {
	struct table_options table;
	enum report_form form;
	bool calls;
	bool has_rows; /* else as the form has it */
	size_t rows;
	enum reading_color color;
	const char *file; /* NULL: the usual one */
	struct format_hints hints;
};

static int take_option(void *context, int key, const struct option_value *value)
{
	struct report_options *options = context;

	switch (key) {
	case KEY_BY:
		options->table.by = (enum table_by)value->number;
		break;
	case 'n':
		options->rows = value->number;
		options->has_rows = true;
		break;
	case KEY_OBJECT:
		options->table.object = value->text;
		break;
	case KEY_FUNCTION:
		options->table.function = value->text;
		break;
	case KEY_CALLS:
		options->calls = true;
		break;
	case KEY_MAP:
		options->hints.map = value->text;
		break;
	case KEY_PROGRAM:
		options->hints.program = value->text;
		break;
	case KEY_JSON:
		options->form = REPORT_JSON;
		break;
	case KEY_CSV:
		options->form = REPORT_CSV;
		break;
	case KEY_MARKDOWN:
		options->form = REPORT_MARKDOWN;
		break;
	case KEY_COLOR:
		options->color = value->number;
		break;
	}
	return 0;
}

static void choose_style(const struct report_options *options, struct report_style *ret_style)
{
	report_style_detect(stdout, ret_style);
	ret_style->form = options->form;
	ret_style->file = options->file ? options->file : PROFILE_USUAL;
	if (options->form == REPORT_TEXT || options->form == REPORT_MARKDOWN)
		ret_style->rows = ROWS_USUAL;
	if (options->has_rows)
		ret_style->rows = options->rows;
	reading_color(options->color, ret_style);
}

/* Returns the exit status. */
static int show(void *context, struct profile *profile)
{
	const struct report_options *options = context;
	struct report_style style;
	struct error error = {""};
	struct table *table;
	int r, why;

	choose_style(options, &style);
	r = reading_name_now(profile, &error);
	if (r >= 0 && options->calls)
		return calls_show(profile, &options->table, &style);
	if (r >= 0)
		r = table_build(profile, &options->table, &table, &error);
	if (r < 0)
		return cmd_fail_error(r, &error);
	r = report_print(stdout, profile, table, &style);
	why = errno;
	(void)table_free(table);
	return cmd_printed(r, why);
}

int command_report(int argc, char **argv)
{
	struct report_options options = {0};
	int first;

	first = options_read(command_find("report"), argc, argv, take_option, &options);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (reading_operand("report", argc - first, argv + first, &options.file))
		return EXIT_PROFIL;
	return reading_show(options.file, &options.hints, show, &options);
}
