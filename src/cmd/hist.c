// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "base/parse.h"
#include "cmd/reading.h"
#include "cmd/shared.h"
#include "view/hist.h"

#include <errno.h>
#include <string.h>

enum {
	KEY_BUCKET = KEY_OWN,
	KEY_STRIP,
	KEY_SVG,
	KEY_PNG,
};

const struct option_row hist_options[] = {
	{KEY_BUCKET, "bucket", "WHAT", "function, line, page, or a number of bytes (function)",
	 "Rows", VALUE_TEXT},
	OPTION_ROWS_ROW("the N hottest buckets have rows, 0 for all (40; json: all)"),
	OPTION_OBJECT_ROW("only this file, by base name or path"),
	{KEY_STRIP, "strip", NULL, "a heat strip of each object's whole text"},
	OPTION_READING_ROWS,

	{KEY_SVG, "svg", "FILE", "draw it into FILE, as SVG", "Form", VALUE_FILE},
	{KEY_PNG, "png", "FILE", "draw it into FILE, as PNG", NULL, VALUE_FILE},
	OPTION_JSON_ROW(NULL),
	OPTION_MARKDOWN_ROW("print Markdown tables"),
	OPTION_COLOR_ROW("colour: "),
	OPTION_HELP_ROW,
	{0},
};

#define ROWS_USUAL 40
#define BUCKET_MAX (1ULL << 40)

struct show_options {
	struct hist_options hist;
	struct hist_style style; /* its page is filled at the end */
	struct reading reading;
	bool has_rows;		 /* else as the form has it */
	const char *pictures[2]; /* by enum hist_picture: the file, NULL: none */
};

static int take_bucket(const char *text, struct hist_options *options)
{
	if (!strcmp(text, "function")) {
		options->by = HIST_BY_FUNCTION;
		return 0;
	}
	if (!strcmp(text, "line")) {
		options->by = HIST_BY_LINE;
		return 0;
	}
	options->by = HIST_BY_BYTES;
	options->bytes = HIST_PAGE;
	if (!strcmp(text, "page") || !parse_count(text, 1, BUCKET_MAX, &options->bytes))
		return 0;
	return cmd_fail("--bucket '%s': not a kind of bucket: give function, line, page, or a "
			"number of bytes, 1 to 2^40",
			text);
}

static int take_option(void *context, int key, const struct option_value *value)
{
	struct show_options *options = context;

	switch (key) {
	case KEY_BUCKET:
		return take_bucket(value->text, &options->hist);
	case 'n':
		options->hist.rows = value->number;
		options->has_rows = true;
		break;
	case KEY_OBJECT:
		options->hist.object = value->text;
		break;
	case KEY_STRIP:
		options->style.strip = true;
		break;
	case KEY_SVG:
		options->pictures[HIST_SVG] = value->text;
		break;
	case KEY_PNG:
		options->pictures[HIST_PNG] = value->text;
		break;
	default:
		return reading_take(&options->reading, key, value);
	}
	return 0;
}

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

	if (!options->has_rows && options->reading.form != REPORT_JSON)
		options->hist.rows = ROWS_USUAL;
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
	struct show_options options = {0};
	int first;

	first = options_read(command_find("hist"), argc, argv, take_option, &options);
	if (first <= 0)
		return first < 0 ? EXIT_PROFIL : 0;
	if (reading_operand("hist", argc - first, argv + first, &options.reading.file))
		return EXIT_PROFIL;
	return reading_show(&options.reading, show, &options);
}
