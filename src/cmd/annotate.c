// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/command.h"

#include "cmd/reading.h"
#include "cmd/shared.h"
#include "format/format.h"
#include "view/annotate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct annotate_options {
	struct reading reading;
	struct annotate_style style; /* its page is filled at the end */
	uint64_t functions;
	const char *what; /* NULL: the hottest function */
};

#define PANE_ROW(name, help, group, pane_)                                                         \
	{                                                                                          \
		0, name, NULL, help, group, SETS(struct annotate_options, style.pane, pane_),      \
			.alone =                                                                   \
				"--source and --asm: each is one alone: give neither to have both" \
	}

const struct option_row annotate_options[] = {
	{'n', "functions", "N", "annotate the N hottest functions that match, 0 for all (1)",
	 "Rows", VALUE_COUNT, .max = 1 << 20, .accepted = "a number of functions, 0 for all",
	 INTO(struct annotate_options, functions)},
	{'C', "context", "N", "show N rows around each that has samples (4)", NULL, VALUE_COUNT,
	 .max = 1 << 20, .accepted = "a number of rows",
	 INTO(struct annotate_options, style.context)},
	{0, "all", NULL, "fold nothing: show every row",
	 SETS(struct annotate_options, style.all, true)},
	OPTION_READING_PROGRAM_ROW,
	OPTION_FILTER_ROWS,
	OPTION_INPUT_ROW,

	PANE_ROW("source", "source lines alone", "Form", PANE_SOURCE),
	PANE_ROW("asm", "instructions alone", NULL, PANE_ASM),
	OPTION_JSON_ROW(NULL),
	OPTION_MARKDOWN_ROW("print Markdown tables of what has samples"),
	OPTION_COLOR_ROW("colour: "),
	OPTION_HELP_ROW,
	{0},
};

#define CONTEXT_USUAL 4

/* One word is a profile if it looks like one: "-", by its name, or by its first bytes, which are
 * those of gzip.  A program that is called like a function, or stands in the current directory,
 * does not.
 */
static bool is_profile(const char *word)
{
	unsigned char magic[2] = {0};
	const char *dot = strrchr(word, '.');
	struct stat status;
	FILE *file;

	if (!strcmp(word, "-"))
		return true;
	if (dot && (!strcmp(dot, ".gz") || !strcmp(dot, ".pb") || !strcmp(dot, ".prof")))
		return true;
	if (format_of_path(word)->ending)
		return true;
	if (stat(word, &status) || !S_ISREG(status.st_mode))
		return false;
	file = fopen(word, "re");
	if (!file)
		return false;
	(void)!fread(magic, 1, sizeof(magic), file);
	(void)fclose(file);
	return magic[0] == 0x1f && magic[1] == 0x8b;
}

/* The last word is what to annotate, unless it is the one that names the profile. */
static int take_what(void *context, int *count, char **operands)
{
	struct annotate_options *options = context;
	const struct reading *reading = &options->reading;

	if (*count + !!reading->file > 2)
		return cmd_fail("annotate: too many words: give a profile and one function, object "
				"or SOURCE:LINE");
	if (*count == 2 ||
	    (*count && (reading->file || !(reading->hints.program || is_profile(*operands)))))
		options->what = operands[--*count];
	return 0;
}

/* ANNOTATIONS has room for COUNT. */
static int build(const struct profile *profile, const struct subjects *subjects, size_t count,
		 struct symbols *symbols, struct annotation **annotations)
{
	int ret = 0;

	for (uint32_t i = 0; i < count && !ret; i++)
		ret = annotate(profile, subjects, i, symbols, &annotations[i]);
	return ret;
}

/* Returns the exit status. */
static int print(struct annotate_options *options, const struct annotate_view *view)
{
	int ret;

	reading_style(&options->reading, &options->style.page);
	ret = annotate_print(stdout, view, &options->style);
	return cmd_printed(ret, errno);
}

static int show_subjects(struct annotate_options *options, const struct profile *profile,
			 const struct subjects *subjects, struct symbols *symbols)
{
	size_t count = options->functions && options->functions < subjects->count
			       ? options->functions
			       : subjects->count;
	struct annotation **annotations = calloc(count + 1, sizeof(struct annotation *));
	struct annotate_view view = {profile,	      annotations,   count,
				     subjects->count, options->what, subjects->inlined};
	struct error error = {""};
	int ret = annotations ? build(profile, subjects, count, symbols, annotations) : -ENOMEM;
	int status = ret < 0 ? cmd_fail_error(ret, &error) : print(options, &view);

	for (size_t i = 0; i < count && annotations; i++)
		annotation_free(annotations[i]);
	free(annotations);
	return status;
}

static int show(void *context, struct profile *profile)
{
	struct annotate_options *options = context;
	struct subjects subjects;
	struct symbols *symbols;
	struct error error = {""};
	int ret, status;

	ret = symbols_open(&(struct symbols_options){0}, &symbols, &error);
	if (ret < 0)
		return cmd_fail_error(ret, &error);
	ret = reading_name(profile, symbols);
	if (!ret)
		ret = subjects_find(profile, options->what, &subjects, &error);
	if (!ret) {
		status = show_subjects(options, profile, &subjects, symbols);
		subjects_done(&subjects);
	} else {
		status = cmd_fail_error(ret, &error);
	}
	(void)symbols_close(symbols);
	return status;
}

int command_annotate(int argc, char **argv)
{
	struct annotate_options options = {.style.context = CONTEXT_USUAL, .functions = 1};

	return reading_run("annotate", argc, argv, &options, take_what, show);
}
