// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "analysis/tree.h"
#include "base/parse.h"
#include "base/progress.h"
#include "cmd/gate.h"
#include "cmd/reading.h"
#include "cmd/shared.h"
#include "view/compare.h"
#include "view/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS_USUAL 25
#define ROWS_OF_PAGE 1000
#define NO_LIMIT UINT64_MAX
#define WORK_MAX 1000000000000000

struct diff_command {
	struct reading reading; /* filter, form and colour of it */
	struct diff_options what;
	struct format_hints hints[DIFF_SIDES];
	size_t rows;
	uint64_t limit;	  /* millionths of all; NO_LIMIT */
	char *unit;	  /* heap */
	bool by_reason;	  /* by function, and waits are their reasons' */
	const char *html; /* REPORT_HTML: where the page goes */
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

static int take_html(void *options, const struct option_value *value)
{
	enum report_form *form = &((struct diff_command *)options)->reading.form;

	if (*form != REPORT_TEXT && *form != REPORT_HTML)
		return cmd_fail("--html '%s': one form at a time: leave the other one out",
				value->text);
	*form = REPORT_HTML;
	return 0;
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

	OPTION_JSON_ROW("Form"),
	OPTION_CSV_ROW("print comma-separated values"),
	OPTION_MARKDOWN_ROW("print a table in Markdown"),
	{0, "html", "FILE", "write a page: a flame graph of what changed, and the rows", NULL,
	 VALUE_FILE, INTO(struct diff_command, html), .take = take_html},
	OPTION_COLOR_ROW(""),
	OPTION_HELP_ROW,
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
	page->utf8 |= page->form == REPORT_HTML;
	page->rows = command->rows != ROWS_OF_FORM ? command->rows
		     : whole			   ? 0
		     : page->form == REPORT_HTML   ? ROWS_OF_PAGE
						   : ROWS_USUAL;
}

/* What was made of the files. */
struct made {
	struct diff *diff;
	struct diff *frames; /* the same by frame; NULL: there are no call stacks, or no page */
	unsigned how;	     /* the page is written (enum replace_how) */
};

static int say_page(const struct diff_command *command, const struct made *made, size_t size)
{
	size_t changed = 0, count = made->frames ? made->frames->row_count : 0;

	if (!strcmp(command->html, "/dev/stdout"))
		return 0;
	for (size_t i = 0; i < count; i++)
		changed += made->frames->rows[i].significant;
	(void)printf("%s: %s: ", command->html, text_size(size).text);
	if (count)
		(void)printf("%zu of %zu frame%s changed\n", changed, made->frames->compared,
			     text_plural(made->frames->compared));
	else
		(void)puts("no flame graph: a profile has no call stacks");
	errno = 0;
	return fflush(stdout) || ferror(stdout) ? cmd_fail_output(errno) : 0;
}

/* Returns 0 or an exit status. */
static int write_page(const struct diff_command *command, const struct made *made,
		      const struct compare_style *style)
{
	struct error error = {""};
	size_t size = 0;
	int ret = compare_write(made->diff, made->frames, style, command->html, made->how, &size,
				&error);

	return ret ? cmd_fail_error(ret, &error) : say_page(command, made, size);
}

static int print(const struct made *made, const struct compare_style *style)
{
	FILE *out = reading_output(style->page.form);
	int ret = out ? compare_print(out, made->diff, style) : -ENOMEM;

	return ret < 0 ? cmd_printed(ret, errno) : 0;
}

static int show(const struct diff_command *command, const struct made *made, char **files,
		size_t before)
{
	struct compare_style style;
	int status;

	choose_style(command, files, before, &style);
	status = command->html ? write_page(command, made, &style) : print(made, &style);
	return status			    ? status
	       : command->limit == NO_LIMIT ? 0
					    : gate_judge(made->diff, command->limit);
}

static int take_value(const struct diff_command *command, const char *file, struct profile *profile,
		      struct error *reterr)
{
	struct error why = {""};
	int ret = filter_value(command->what.value - 1, profile, &why);

	return *why.text ? error_set(reterr, ret, "%s: %s", file, why.text) : ret;
}

static int read_all(const struct diff_command *command, char **files, size_t count, size_t before,
		    struct profile **profiles, struct error *reterr)
{
	struct symbols *symbols;
	int ret = symbols_open(&(struct symbols_options){0}, &symbols, reterr);

	if (ret < 0)
		return ret;
	progress_open(STDERR_FILENO);
	progress_begin("diff", "profiles");
	for (size_t i = 0; i < count && ret >= 0; i++) {
		progress_at(i, count);
		ret = reading_part(files[i], &command->hints[i < before ? DIFF_BEFORE : DIFF_AFTER],
				   &command->reading.filter, &profiles[i], reterr);
		if (ret >= 0)
			ret = reading_name(profiles[i], symbols);
		if (ret >= 0 && command->what.value)
			ret = take_value(command, files[i], profiles[i], reterr);
	}
	progress_end();
	(void)symbols_close(symbols);
	return ret;
}

/* All call stacks as they are, the reason of a wait below its caller. */
static int make_frames(const struct diff_command *command, const struct diff_profiles *sides,
		       struct made *made, struct error *reterr)
{
	struct diff_options what = command->what;

	what.by = TABLE_BY_FUNCTION;
	what.by_path = false;
	what.by_frame = true;
	for (int side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < sides[side].count; i++) {
			made->how |= profile_privacy(sides[side].items[i]);
			what.by_frame &= tree_has_stacks(sides[side].items[i]);
		}
	return what.by_frame ? diff_build(sides, &what, &made->frames, reterr) : 0;
}

static int make(const struct diff_command *command, const struct diff_profiles *sides,
		struct made *made, struct error *reterr)
{
	bool to_callers = command->what.value && !command->by_reason && !command->what.by_path;
	int ret = command->html ? make_frames(command, sides, made, reterr) : 0;

	for (int side = 0; side < DIFF_SIDES && to_callers; side++)
		for (size_t i = 0; i < sides[side].count; i++)
			filter_to_callers(sides[side].items[i]);
	return ret < 0 ? ret : diff_build(sides, &command->what, &made->diff, reterr);
}

/* FILES are BEFORE ones of the side before, then those after.  Returns the exit status. */
static int compare_files(const struct diff_command *command, char **files, size_t count,
			 size_t before)
{
	struct profile **profiles = calloc(count, sizeof(*profiles));
	const struct diff_profiles sides[DIFF_SIDES] = {
		{profiles, before}, {profiles ? profiles + before : NULL, count - before}};
	struct error error = {""};
	struct made made = {0};
	int ret = profiles ? read_all(command, files, count, before, profiles, &error) : -ENOMEM;
	int status;

	if (ret >= 0)
		ret = make(command, sides, &made, &error);
	for (size_t i = 0; profiles && i < count; i++)
		profile_free(profiles[i]);
	free(profiles);
	if (ret < 0) {
		status = cmd_fail_error(ret, &error);
		status = ret == -ENODATA && command->limit != NO_LIMIT ? EXIT_OPEN : status;
	} else {
		status = show(command, &made, files, before);
	}
	(void)diff_free(made.frames);
	(void)diff_free(made.diff);
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
