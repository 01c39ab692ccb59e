// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "analysis/diff_gate.h"
#include "base/parse.h"
#include "cmd/reading.h"
#include "cmd/shared.h"
#include "view/compare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_USUAL 25
#define NO_LIMIT UINT64_MAX
#define WORK_MAX 1000000000000000

/* What profil returns for a change that --fail-above does not allow. */
#define EXIT_ABOVE 1
/* ... and where the runs cannot tell whether there is one. */
#define EXIT_OPEN 2

struct diff_command {
	struct reading reading; /* filter, form and colour of it */
	struct diff_options what;
	struct format_hints hints[DIFF_SIDES];
	size_t rows;
	uint64_t limit; /* millionths of all; NO_LIMIT */
	char *unit;	/* heap */
	bool by_reason; /* by function, and waits are their reasons' */
};

static int fail_per(const char *text)
{
	(void)cmd_fail("--per '%s': choose from samples, run, and UNIT=N:M, as "
		       "request=5000:5200",
		       text);
	return -EINVAL;
}

static int read_work(const char *text, size_t length, double *ret_work)
{
	char number[32];
	uint64_t work;

	if (length >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, length);
	number[length] = '\0';
	if (parse_count(number, 1, WORK_MAX, &work))
		return -EINVAL;
	*ret_work = (double)work;
	return 0;
}

/* "UNIT=N" or "UNIT=N:M". */
static int take_unit(struct diff_command *command, const char *text)
{
	const char *equal = strchr(text, '=');
	size_t length;

	if (!equal || equal == text)
		return fail_per(text);
	length = strcspn(equal + 1, ":");
	if (read_work(equal + 1, length, &command->what.work[DIFF_BEFORE]))
		return fail_per(text);
	command->what.work[DIFF_AFTER] = command->what.work[DIFF_BEFORE];
	if (equal[1 + length] && read_work(equal + 2 + length, strlen(equal + 2 + length),
					   &command->what.work[DIFF_AFTER]))
		return fail_per(text);
	free(command->unit);
	command->unit = strndup(text, (size_t)(equal - text));
	command->what.per = DIFF_PER_UNIT;
	return command->unit ? 0 : -ENOMEM;
}

static int take_per(void *options, const struct option_value *value)
{
	struct diff_command *command = options;
	const char *text = value->text;

	if (!strcmp(text, "samples"))
		command->what.per = DIFF_PER_TICKS;
	else if (!strcmp(text, "run"))
		command->what.per = DIFF_PER_RUN;
	else
		return take_unit(command, text);
	return 0;
}

/* A hint is for both sides; given once more, that one is for the files after. */
static int take_hint(void *options, const struct option_value *value)
{
	struct format_hints *before = &((struct diff_command *)options)->hints[DIFF_BEFORE];
	const struct format_hints *after = before + 1;

	before->map = before->map ? before->map : after->map;
	before->program = before->program ? before->program : after->program;
	return 0;
}

static int take_by(void *options, const struct option_value *value)
{
	struct diff_command *command = options;
	struct diff_options *what = &command->what;

	what->by_path = !strcmp(value->text, "path");
	command->by_reason = !strcmp(value->text, "reason");
	what->by = TABLE_BY_FUNCTION;
	return what->by_path || command->by_reason ? 0 : table_by_parse(value->text, &what->by);
}

const struct option_row diff_options[] = {
	OPTION_BY_ROW("Rows", "function|line|object|path|reason", .take = take_by),
	{0, "per", "WHAT", "samples, run, or UNIT=N:M of work before and after (samples)", NULL,
	 VALUE_TEXT, .take = take_per},
	OPTION_VALUE_ROW("what is compared: cpu (samples), blocked, runqueue, wall ...",
			 INTO(struct diff_command, what.value)),
	OPTION_ROWS_ROW("show at most N rows, 0 for all (25; json, csv: all)",
			INTO(struct diff_command, rows)),
	OPTION_OBJECT_ROW("only code of this file, by base name or path",
			  INTO(struct diff_command, what.object)),
	OPTION_FUNCTION_ROW(0, INTO(struct diff_command, what.function)),
	OPTION_FILTER_ROWS,
	{0, "fail-above", "PART", "status 1 if something grew by more (5% of all); 2: cannot tell",
	 NULL, VALUE_PERCENT, .max = 100000000, .accepted = "0% to 10000%, as 5%",
	 INTO(struct diff_command, limit)},
	OPTION_MAP_ROW("the MAP file of a DOS program; twice: before, after",
		       INTO(struct diff_command, hints[DIFF_AFTER].map), .take = take_hint),
	OPTION_PROGRAM_ROW("the program of a gmon.out and its like; twice: before, after",
			   INTO(struct diff_command, hints[DIFF_AFTER].program), .take = take_hint),

	OPTION_TABLE_FORM_ROWS(""),
	{0},
};

static void choose_style(const struct diff_command *command, char **files, size_t before,
			 struct compare_style *ret_style)
{
	bool whole = command->reading.form == REPORT_JSON || command->reading.form == REPORT_CSV;
	struct report_style *page = &ret_style->page;

	*ret_style = (struct compare_style){
		.files = {files[0], files[before]},
		.unit = command->unit,
		.by_reason = command->by_reason,
	};
	report_style_detect(stdout, page);
	reading_color(command->reading.color, page);
	page->form = command->reading.form;
	page->rows = command->rows != ROWS_OF_FORM ? command->rows : whole ? 0 : ROWS_USUAL;
}

/* On stderr, for a table may be read by a program. */
static int say_exceeds(const struct diff_command *command, const struct gate_verdict *verdict)
{
	const struct diff_row *row = verdict->row;
	const char *whole = command->what.per == DIFF_PER_TICKS ? "all that changed" : "the whole";

	(void)cmd_fail("%s%s%s: it %s by %.1f %% of all that was before%s: more than %g %%",
		       row ? row->name : whole, row ? " in " : "", row ? row->object : "",
		       verdict->change < 0 ? "fell" : "grew", 100 * fabs(verdict->change),
		       verdict->change < 0 ? ", which others gained" : "",
		       (double)command->limit / 1e4);
	return EXIT_ABOVE;
}

static int say_open(const struct diff *diff, const struct gate_verdict *verdict)
{
	const struct diff_row *row = verdict->row;
	size_t before = diff->totals[DIFF_BEFORE].runs, after = diff->totals[DIFF_AFTER].runs;
	(void)cmd_fail("%s%s%s: %zu run%s before and %zu after cannot tell: it may have changed by "
		       "as much as %.1f %% of all that was before: take %s %zu runs a side",
		       row ? row->name : "the whole", row ? " in " : "", row ? row->object : "",
		       before, before == 1 ? "" : "s", after, 100 * verdict->change,
		       verdict->repeats ? "about" : "more than",
		       verdict->repeats ? verdict->repeats : (size_t)GATE_REPEATS_MAX);
	return EXIT_OPEN;
}

static int judge(const struct diff_command *command, const struct diff *diff)
{
	struct gate_verdict verdict;

	if (command->limit == NO_LIMIT)
		return 0;
	diff_gate(diff, (double)command->limit / 1e6, &verdict);
	if (verdict.gate == GATE_PASSES)
		return 0;
	return verdict.gate == GATE_EXCEEDS ? say_exceeds(command, &verdict)
					    : say_open(diff, &verdict);
}

static int show(const struct diff_command *command, const struct diff *diff, char **files,
		size_t before)
{
	struct compare_style style;
	FILE *out;
	int ret;

	choose_style(command, files, before, &style);
	out = reading_output(style.page.form);
	ret = out ? compare_print(out, diff, &style) : -ENOMEM;
	return ret < 0 ? cmd_printed(ret, errno) : judge(command, diff);
}

static int take_value(const struct diff_command *command, const char *file, struct profile *profile,
		      struct error *reterr)
{
	struct error why = {""};
	int ret = filter_value(command->what.value - 1, profile, &why);

	if (!ret && !command->by_reason && !command->what.by_path)
		filter_to_callers(profile);
	return *why.text ? error_set(reterr, ret, "%s: %s", file, why.text) : ret;
}

static int read_all(const struct diff_command *command, char **files, size_t count, size_t before,
		    struct profile **profiles, struct error *reterr)
{
	struct symbols *symbols;
	int ret = symbols_open(&(struct symbols_options){0}, &symbols, reterr);

	if (ret < 0)
		return ret;
	for (size_t i = 0; i < count && ret >= 0; i++) {
		ret = reading_part(files[i], &command->hints[i < before ? DIFF_BEFORE : DIFF_AFTER],
				   &command->reading.filter, &profiles[i], reterr);
		if (ret >= 0)
			ret = reading_name(profiles[i], symbols);
		if (ret >= 0 && command->what.value)
			ret = take_value(command, files[i], profiles[i], reterr);
	}
	(void)symbols_close(symbols);
	return ret;
}

/* FILES are BEFORE ones of the side before, then those after.  Returns the exit status. */
static int compare_files(const struct diff_command *command, char **files, size_t count,
			 size_t before)
{
	struct profile **profiles = calloc(count, sizeof(*profiles));
	const struct diff_profiles sides[DIFF_SIDES] = {
		{profiles, before}, {profiles ? profiles + before : NULL, count - before}};
	struct error error = {""};
	struct diff *diff;
	int ret = profiles ? read_all(command, files, count, before, profiles, &error) : -ENOMEM;
	int status;

	if (ret >= 0)
		ret = diff_build(sides, &command->what, &diff, &error);
	for (size_t i = 0; profiles && i < count; i++)
		profile_free(profiles[i]);
	free(profiles);
	if (ret < 0) {
		status = cmd_fail_error(ret, &error);
		return ret == -ENODATA && command->limit != NO_LIMIT ? EXIT_OPEN : status;
	}
	status = show(command, diff, files, before);
	(void)diff_free(diff);
	return status;
}

/* How many words stand behind "--", or -1 without one; getopt forgets where it stood. */
static int words_behind(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - i - 1;
	return -1;
}

/* Without "--", or with one that has nothing before it, there are two files. */
static int split_sides(int count, int behind, size_t *ret_before)
{
	if (behind < 0 || behind == count) {
		if (count != 2)
			return cmd_fail("diff: %d file%s: name two, or OLD... -- NEW...", count,
					count == 1 ? "" : "s");
		behind = 1;
	}
	if (behind == 0)
		return cmd_fail("diff: no files behind '--': name OLD... -- NEW...");
	*ret_before = (size_t)(count - behind);
	return 0;
}

/* Returns the exit status. */
static int check_value(struct diff_command *command, size_t runs)
{
	if (command->by_reason && !command->what.value)
		return cmd_fail("--by reason: give --value blocked, runqueue or another");
	if (!command->what.value)
		return 0;
	if (command->what.per == DIFF_PER_TICKS)
		command->what.per = DIFF_PER_RUN;
	if (command->limit != NO_LIMIT && runs < 3)
		return cmd_fail("--fail-above: how far waits differ by chance only repeats tell: "
				"give OLD... -- NEW...");
	return 0;
}

int command_diff(int argc, char **argv)
{
	struct diff_command command = {
		.what = {.work = {1, 1}}, .rows = ROWS_OF_FORM, .limit = NO_LIMIT};
	int behind = words_behind(argc, argv), first, status;
	size_t before = 0;

	first = options_read(command_find("diff"), argc, argv, &command);
	if (first <= 0) {
		free(command.unit);
		return first < 0 ? EXIT_PROFIL : 0;
	}
	status = split_sides(argc - first, behind, &before);
	if (!status)
		status = check_value(&command, (size_t)(argc - first));
	if (!status)
		status = compare_files(&command, argv + first, (size_t)(argc - first), before);
	free(command.unit);
	return status;
}
