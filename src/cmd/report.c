// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "analysis/table.h"
#include "view/report.h"

/* Options without a letter. */
enum {
	KEY_BY = OPTION_LONG_ONLY,
	KEY_OBJECT,
	KEY_FUNCTION,
	KEY_JSON,
	KEY_CSV,
	KEY_COLOR,
};

const struct option_row report_options[] = {
	{KEY_BY, "by", "WHAT", "function, line, address, object, process, thread (function)",
	 "Rows", VALUE_CHOICE, .choices = "function|line|address|object|process|thread"},
	{'n', "rows", "N", "show at most N rows, 0 for all (25; json, csv: all)", NULL, VALUE_COUNT,
	 .max = 1 << 30, .accepted = "a number of rows, 0 for all"},
	{KEY_OBJECT, "object", "NAME", "only code of this file, by base name or path", NULL,
	 VALUE_TEXT},
	{KEY_FUNCTION, "function", "REGEX", "only functions that match this extended regex", NULL,
	 VALUE_TEXT},

	{KEY_JSON, "json", NULL, "print one JSON object", "Form"},
	{KEY_CSV, "csv", NULL, "print comma-separated values"},
	{KEY_COLOR, "color", "WHEN", "colour and bars: auto, always, never (auto)", NULL,
	 VALUE_CHOICE, .choices = "auto|always|never"},
	OPTION_HELP_ROW,
	{0},
};

int command_report(int argc, char **argv)
{
	int first = options_read(command_find("report"), argc, argv, NULL, NULL);

	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	return cmd_fail("report: no reader is built in: nothing can be shown");
}
