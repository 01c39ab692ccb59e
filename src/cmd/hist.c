// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "base/parse.h"
#include "cmd/reading.h"
#include "cmd/shared.h"
#include "view/hist.h"

#include <errno.h>
#include <string.h>

#define ROWS_USUAL 40
#define BUCKET_MAX (1ULL << 40)

struct show_options {
	struct reading reading;
	struct hist_options hist;
	struct hist_style style; /* its page is filled at the end */
	const char *pictures[2]; /* by enum hist_picture: the file, NULL: none */
};

static int take_bucket(void *options, const struct option_value *value)
{
	struct hist_options *hist = &((struct show_options *)options)->hist;
	const char *text = value->text;

	if (!strcmp(text, "function")) {
		hist->by = HIST_BY_FUNCTION;
		return 0;
	}
	if (!strcmp(text, "line")) {
		hist->by = HIST_BY_LINE;
		return 0;
	}
	hist->by = HIST_BY_BYTES;
	hist->bytes = HIST_PAGE;
	if (!strcmp(text, "page") || !parse_count(text, 1, BUCKET_MAX, &hist->bytes))
		return 0;
	return cmd_fail("--bucket '%s': not a kind of bucket: give function, line, page, or a "
			"number of bytes, 1 to 2^40",
			text);
}

const struct option_row hist_options[] = {
	{0, "bucket", "WHAT", "function, line, page, or a number of bytes (function)", "Rows",
	 VALUE_TEXT, .take = take_bucket},
	OPTION_ROWS_ROW("the N hottest buckets have rows, 0 for all (40; json: all)",
			INTO(struct show_options, hist.rows)),
	OPTION_OBJECT_ROW("only this file, by base name or path",
			  INTO(struct show_options, hist.object)),
	{0, "strip", NULL, "a heat strip of each object's whole text",
	 SETS(struct show_options, style.strip, true)},
	OPTION_READING_ROWS,

	{0, "svg", "FILE", "draw it into FILE, as SVG", "Form", VALUE_FILE,
	 INTO(struct show_options, pictures[HIST_SVG])},
	{0, "png", "FILE", "draw it into FILE, as PNG", NULL, VALUE_FILE,
	 INTO(struct show_options, pictures[HIST_PNG])},
	OPTION_JSON_ROW(NULL),
	OPTION_MARKDOWN_ROW("print Markdown tables"),
	OPTION_COLOR_ROW("colour: "),
	OPTION_HELP_ROW,
	{0},
};

/* Returns the exit status. */
static int print(const struct show_options *options, const struct hist *hist)
{
	struct hist_style style = options->style;
	int ret;

	reading_style(&options->reading, &style.page);
	ret = hist_print(stdout, hist, &style);
	return cmd_printed(ret, errno);
}

/* Pictures are wanted instead of the page. */
static int draw(const struct show_options *options, const struct hist *hist)
{
	struct error error = {""};
	int ret = 0;

	for (int i = 0; i < 2 && !ret; i++)
		if (options->pictures[i])
			ret = hist_draw(hist, (enum hist_picture)i, options->style.strip,
					options->pictures[i], &error);
	return ret ? cmd_fail_error(ret, &error) : 0;
}

static int show(void *context, struct profile *profile)
{
	struct show_options *options = context;
	struct error error = {""};
	struct hist *hist;
	int ret, status;

	if (options->hist.rows == ROWS_OF_FORM)
		options->hist.rows = options->reading.form == REPORT_JSON ? 0 : ROWS_USUAL;
	ret = reading_name_now(profile, &error);
	if (!ret)
		ret = hist_build(profile, &options->hist, &hist, &error);
	if (ret < 0)
		return cmd_fail_error(ret, &error);
	if (options->pictures[HIST_SVG] || options->pictures[HIST_PNG])
		status = draw(options, hist);
	else
		status = print(options, hist);
	(void)hist_free(hist);
	return status;
}

int command_hist(int argc, char **argv)
{
	struct show_options options = {.hist.rows = ROWS_OF_FORM};

	return reading_run("hist", argc, argv, &options, NULL, show);
}
