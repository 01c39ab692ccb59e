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

#define ROWS_USUAL 25
#define MIN_NONE UINT64_MAX
#define VALUE_ALL UINT32_MAX /* all of the time where the profile has it, else samples */

struct report_options {
	struct reading reading;
	struct table_options table;
	bool calls, callers, callees; /* CALLS: both */
	size_t rows;
	uint32_t value; /* VALUE_ALL; 0: samples; or the enum histogram_value and 1 */
	uint64_t min; /* of calls, millionths of the function's samples; MIN_NONE: not asked for */
};

/* What perf calls what a row is.  Rows by function have their object, as --sort dso,symbol has. */
static int take_sort(void *options, const struct option_value *value)
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
	struct table_options *table = &((struct report_options *)options)->table;
	const char *text = value->text;
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
			"cgroup, reason, self, total",
			text);
}

/* --callers=REGEX is --callers --function REGEX. */
static int take_function(void *options, const struct option_value *value)
{
	const char **function = &((struct report_options *)options)->table.function;

	if (value->text && *function && strcmp(value->text, *function) != 0)
		return cmd_fail("--%s '%s': functions are named twice: give one of them",
				value->name, value->text);
	if (value->text)
		*function = value->text;
	return 0;
}

const struct option_row report_options[] = {
	OPTION_BY_ROW("Rows", TABLE_BY_CHOICES, INTO(struct report_options, table.by)),
	{'s', "sort", "KEY", "perf's name for --by: comm, dso, symbol, srcline, pid, tid", NULL,
	 VALUE_TEXT, .take = take_sort},
	OPTION_VALUE_ROW("what the rows have: cpu (samples), blocked, runqueue, wall ...",
			 INTO(struct report_options, value)),
	OPTION_ROWS_ROW("show at most N rows, 0 for all (25; json, csv: all)",
			INTO(struct report_options, rows)),
	OPTION_OBJECT_ROW("only code of this file, by base name or path",
			  INTO(struct report_options, table.object)),
	OPTION_FUNCTION_ROW(0, .take = take_function),
	OPTION_INLINES_ROW("below each function what was inlined into it",
			   SETS(struct report_options, table.inlines, true)),
	{0, "callers", "[=REGEX]", "above each function, or these, who called it", NULL, VALUE_TEXT,
	 SETS(struct report_options, callers, true), .take = take_function},
	{0, "callees", "[=REGEX]", "below each function, or these, what it called", NULL,
	 VALUE_TEXT, SETS(struct report_options, callees, true), .take = take_function},
	OPTION_MIN_ROW("one row for calls that are less of their function (0.5%)",
		       INTO(struct report_options, min)),
	{0, "calls", NULL, "both, and how often, where it was counted (-pg programs)",
	 SETS(struct report_options, calls, true)},
	OPTION_READING_MAP_ROW,
	OPTION_READING_ROWS,

	OPTION_TABLE_FORM_ROWS("colour and bars: "),
	{0},
};

static void choose_style(const struct report_options *options, struct report_style *ret_style)
{
	reading_style(&options->reading, ret_style);
	if (ret_style->form == REPORT_TEXT || ret_style->form == REPORT_MARKDOWN)
		ret_style->rows = ROWS_USUAL;
	if (options->rows != ROWS_OF_FORM)
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
		.min = options->min == MIN_NONE ? MIN_USUAL : options->min,
	};
	struct error error = {""};

	if (tree_has_stacks(profile)) {
		profile_account(profile, &page.account);
		if (options->table.value && filter_value(options->table.value - 1, profile, &error))
			return cmd_fail_error(-ENOENT, &error);
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

static int check(void *context, int *count, char **operands)
{
	struct report_options *options = context;

	options->table.lives = options->value == VALUE_ALL;
	options->table.value = options->value == VALUE_ALL ? 0 : options->value;
	options->callers |= options->calls;
	options->callees |= options->calls;
	if (options->table.inlines && options->table.by != TABLE_BY_FUNCTION)
		return cmd_fail("--inlines: it is for rows by function: leave out --by");
	if (options->min != MIN_NONE && !options->callers && !options->callees)
		return cmd_fail("--min: give --callers or --callees");
	if (options->table.object && (options->callers || options->callees) && !options->calls)
		return cmd_fail("--object: leave it out with --callers and --callees, or give "
				"--function");
	if (options->calls && options->table.value)
		return cmd_fail("--calls: calls are counted, not timed: leave out --value");
	if (options->calls && filter_is_set(&options->reading.filter))
		return cmd_fail("--calls: calls are counted of all processes together: leave out "
				"--pid, --tid and --comm");
	return 0;
}

int command_report(int argc, char **argv)
{
	struct report_options options = {.value = VALUE_ALL, .rows = ROWS_OF_FORM, .min = MIN_NONE};

	return reading_run("report", argc, argv, &options, check, show);
}
