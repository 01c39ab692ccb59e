// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "analysis/inlines.h"
#include "analysis/table.h"
#include "analysis/tree.h"
#include "base/array.h"
#include "cmd/callers.h"
#include "cmd/calls.h"
#include "cmd/reading.h"
#include "cmd/shared.h"

#include <errno.h>
#include <string.h>

enum {
	KEY_CALLS = KEY_OWN,
	KEY_CALLERS,
	KEY_CALLEES,
};

const struct option_row report_options[] = {
	OPTION_BY_ROW("Rows", TABLE_BY_CHOICES),
	{'s', "sort", "KEY", "perf's name for --by: comm, dso, symbol, srcline, pid, tid", NULL,
	 VALUE_TEXT},
	OPTION_ROWS_ROW("show at most N rows, 0 for all (25; json, csv: all)"),
	OPTION_OBJECT_ROW("only code of this file, by base name or path"),
	OPTION_FUNCTION_ROW(KEY_FUNCTION),
	OPTION_INLINES_ROW("below each function what was inlined into it"),
	{KEY_CALLERS, "callers", "[=REGEX]", "above each function, or these, who called it", NULL,
	 VALUE_TEXT},
	{KEY_CALLEES, "callees", "[=REGEX]", "below each function, or these, what it called", NULL,
	 VALUE_TEXT},
	OPTION_MIN_ROW("one row for calls that are less of their function (0.5%)"),
	{KEY_CALLS, "calls", NULL, "both, and how often, where it was counted (-pg programs)"},
	OPTION_MAP_ROW(MAP_HELP),
	OPTION_READING_ROWS,

	OPTION_TABLE_FORM_ROWS("colour and bars: "),
	{0},
};

#define ROWS_USUAL 25

struct report_options {
	struct table_options table;
	bool calls, callers, callees; /* CALLS: both */
	bool has_rows;		      /* else as the form has it */
	size_t rows;
	uint64_t min; /* of calls, millionths of the function's samples */
	bool has_min;
	struct reading reading;
};

/* What perf calls what a row is.  Rows by function have their object, as --sort dso,symbol has. */
static int take_sort(const char *text, struct table_options *table)
{
	static const struct {
		const char *word;
		enum table_by by;
	} words[] = {
		{"symbol", TABLE_BY_FUNCTION},	   {"sym", TABLE_BY_FUNCTION},
		{"dso,symbol", TABLE_BY_FUNCTION}, {"symbol,dso", TABLE_BY_FUNCTION},
		{"dso,sym", TABLE_BY_FUNCTION},	   {"sym,dso", TABLE_BY_FUNCTION},
		{"dso", TABLE_BY_OBJECT},	   {"srcline", TABLE_BY_LINE},
		{"pid", TABLE_BY_PROCESS},	   {"tid", TABLE_BY_THREAD},
	};

	enum table_by *by = &table->by;

	for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
		if (!strcmp(text, words[i].word)) {
			*by = words[i].by;
			return 0;
		}
	}
	if (!strcmp(text, "self") || !strcmp(text, "total")) {
		table->by_total = *text == 't';
		return 0;
	}
	if (!table_by_parse(text, by))
		return 0;
	if (strchr(text, ','))
		return cmd_fail("--sort '%s': rows have one key: use --by function, which shows "
				"the object, or --comm NAME for one command",
				text);
	return cmd_fail("--sort '%s': choose from symbol, dso, srcline, pid, tid, comm, cpu, "
			"cgroup, self, total",
			text);
}

/* --callers=REGEX is --callers --function REGEX. */
static int take_function(const char *option, const char *function, struct table_options *table)
{
	if (function && table->function && strcmp(function, table->function) != 0)
		return cmd_fail("--%s '%s': functions are named twice: give one of them", option,
				function);
	if (function)
		table->function = function;
	return 0;
}

static int take_option(void *context, int key, const struct option_value *value)
{
	struct report_options *options = context;

	switch (key) {
	case KEY_BY:
		options->table.by = (enum table_by)value->number;
		break;
	case 's':
		return take_sort(value->text, &options->table);
	case 'n':
		options->rows = value->number;
		options->has_rows = true;
		break;
	case KEY_OBJECT:
		options->table.object = value->text;
		break;
	case KEY_FUNCTION:
		return take_function("function", value->text, &options->table);
	case KEY_INLINES:
		options->table.inlines = true;
		break;
	case KEY_MIN:
		options->min = value->number;
		options->has_min = true;
		break;
	case KEY_CALLS:
		options->calls = options->callers = options->callees = true;
		break;
	case KEY_CALLERS:
		options->callers = true;
		return take_function("callers", value->text, &options->table);
	case KEY_CALLEES:
		options->callees = true;
		return take_function("callees", value->text, &options->table);
	default:
		return reading_take(&options->reading, key, value);
	}
	return 0;
}

static void choose_style(const struct report_options *options, struct report_style *ret_style)
{
	reading_style(&options->reading, ret_style);
	if (ret_style->form == REPORT_TEXT || ret_style->form == REPORT_MARKDOWN)
		ret_style->rows = ROWS_USUAL;
	if (options->has_rows)
		ret_style->rows = options->rows;
}

/* By call stacks, or where there are none by what the program counted. */
static int show_calls(struct profile *profile, const struct report_options *options,
		      const struct report_style *style)
{
	struct callers_page page = {
		.profile = profile,
		.callers = options->callers,
		.callees = options->callees,
		.min = options->min,
	};

	if (tree_has_stacks(profile)) {
		if (options->table.inlines && inlines_open(profile))
			return cmd_printed(-ENOMEM, 0);
		return callers_show(&page, &options->table, style);
	}
	if (options->table.inlines)
		return cmd_fail("--inlines: the profile has no call stacks: leave out --calls");
	if (!profile->call_count && !options->calls)
		return cmd_fail("report: the profile has no call stacks: take it with -g");
	return calls_show(profile, &options->table, style);
}

/* Returns the exit status. */
static int show(void *context, struct profile *profile)
{
	const struct report_options *options = context;
	struct report_style style;
	struct error error = {""};
	struct table *table;
	FILE *out;
	int ret, why;

	choose_style(options, &style);
	ret = reading_name_now(profile, &error);
	if (ret >= 0 && (options->callers || options->callees))
		return show_calls(profile, options, &style);
	if (ret >= 0)
		ret = table_build(profile, &options->table, &table, &error);
	if (ret < 0)
		return cmd_fail_error(ret, &error);
	out = reading_output(style.form);
	ret = out ? report_print(out, profile, table, &style) : -ENOMEM;
	why = errno;
	(void)table_free(table);
	return cmd_printed(ret, why);
}

int command_report(int argc, char **argv)
{
	struct report_options options = {.min = MIN_USUAL};
	int first;

	first = options_read(command_find("report"), argc, argv, take_option, &options);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (options.table.inlines && options.table.by != TABLE_BY_FUNCTION)
		return cmd_fail("--inlines: it is for rows by function: leave out --by");
	if (options.has_min && !options.callers && !options.callees)
		return cmd_fail("--min: give --callers or --callees");
	if (options.table.object && (options.callers || options.callees) && !options.calls)
		return cmd_fail("--object: leave it out with --callers and --callees, or give "
				"--function");
	if (options.calls && filter_is_set(&options.reading.filter))
		return cmd_fail("--calls: calls are counted of all processes together: leave out "
				"--pid, --tid and --comm");
	if (reading_operand("report", argc - first, argv + first, &options.reading.file))
		return EXIT_PROFIL;
	return reading_show(&options.reading, show, &options);
}
