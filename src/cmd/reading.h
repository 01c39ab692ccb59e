/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/filter.h"
#include "cmd/shared.h"
#include "format/format.h"
#include "profile/profile.h"
#include "symbol/symbol.h"
#include "view/report.h"

/* What commands that show a profile do alike. */

enum reading_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER }; /* as --color=WHEN has it */

/* What they are told alike.  Their own options begin with it. */
struct reading {
	const char *file; /* NULL: the usual one */
	struct format_hints hints;
	struct filter filter;
	const char *under; /* only samples under functions of such names; NULL: all */
	enum report_form form;
	enum reading_color color;
};

/* Of whose ticks alone (analysis/filter.h). */
#define OPTION_ONLY_ROW(id, whose)                                                      \
	{                                                                               \
		0, #id, "N", "only the " whose " with this ID", NULL, VALUE_COUNT,      \
			.min = 1, .max = 1 << 30, .accepted = "the number of a " whose, \
			INTO(struct reading, filter.id)                                 \
	}
#define OPTION_FILTER_ROWS                                                                     \
	OPTION_ONLY_ROW(pid, "process"), OPTION_ONLY_ROW(tid, "thread"),                       \
	{                                                                                      \
		0, "comm", "NAME", "only processes or threads of this name", NULL, VALUE_TEXT, \
			INTO(struct reading, filter.comm)                                      \
	}

#define OPTION_INPUT_ROW                                                          \
	{                                                                         \
		'i', "input", "FILE", "the same as FILE alone", NULL, VALUE_FILE, \
			INTO(struct reading, file)                                \
	}

#define OPTION_READING_MAP_ROW                                            \
	OPTION_MAP_ROW("the MAP file of a DOS program (beside the .PRF)", \
		       INTO(struct reading, hints.map))
#define OPTION_READING_PROGRAM_ROW                                                  \
	OPTION_PROGRAM_ROW("the program that a gmon.out or gperftools' file is of", \
			   INTO(struct reading, hints.program))

/* Of every command that can show call stacks. */
#define OPTION_READING_ROWS                                        \
	OPTION_READING_PROGRAM_ROW, OPTION_FILTER_ROWS,            \
		{0,                                                \
		 "under",                                          \
		 "REGEX",                                          \
		 "only samples with such a function on the stack", \
		 NULL,                                             \
		 VALUE_TEXT,                                       \
		 INTO(struct reading, under)},                     \
		OPTION_INPUT_ROW

#define OPTION_FORM_ROW(name, help, group, form_)                                          \
	{                                                                                  \
		0, name, NULL, help, group, SETS(struct reading, form, form_),             \
			.alone = "--json, --csv, --markdown: one form at a time: name one" \
	}
#define OPTION_JSON_ROW(group) OPTION_FORM_ROW("json", "print one JSON object", group, REPORT_JSON)
#define OPTION_CSV_ROW(help) OPTION_FORM_ROW("csv", help, NULL, REPORT_CSV)
#define OPTION_MARKDOWN_ROW(help) OPTION_FORM_ROW("markdown", help, NULL, REPORT_MARKDOWN)

/* WHAT: "colour: ", or another word before the values. */
#define OPTION_COLOR_ROW(what)                                                             \
	{                                                                                  \
		0, "color", "WHEN", what "auto, always, never (auto)", NULL, VALUE_CHOICE, \
			.choices = "auto|always|never", INTO(struct reading, color)        \
	}

/* The forms of a table, the last rows of a command that prints one. */
#define OPTION_TABLE_FORM_ROWS(color)                                                      \
	OPTION_JSON_ROW("Form"), OPTION_CSV_ROW("print comma-separated values"),           \
		OPTION_MARKDOWN_ROW("print a table in Markdown"), OPTION_COLOR_ROW(color), \
		OPTION_HELP_ROW

/* Read the profile FILE, of any format, with HINTS as format_read() takes them; NULL is the usual
 * one, and is named in what is said when it is not there.  Returns 0, or -errno with a sentence. */
int reading_open(const char *file, const struct format_hints *hints, struct profile **ret_profile,
		 struct error *reterr);

/* The same of one FILE of several: what passes FILTER of it; the sentence names it. */
int reading_part(const char *file, const struct format_hints *hints, const struct filter *filter,
		 struct profile **ret_profile, struct error *reterr);

/* Be command NAME: read ARGV into OPTIONS, which begin with struct reading; CHECK them (NULL: there
 * is nothing to check) and take operands off the end of the COUNT; then the one that may be left is
 * the file.  Let SHOW have its profile, and free it.  CHECK and SHOW return 0 or an exit status,
 * after having said why.  Returns the exit status. */
int reading_run(const char *name, int argc, char **argv, void *options,
		int (*check)(void *options, int *count, char **operands),
		int (*show)(void *options, struct profile *profile));

/* A profile taken with --raw gets its names now; one from elsewhere has those it came with, for its
 * addresses may be those of another machine, unless it was said which file here they are of.
 * Returns 0 or -ENOMEM. */
int reading_name(struct profile *profile, struct symbols *symbols);

/* The same for one that needs SYMBOLS for nothing else.  Returns 0, or -errno with a sentence. */
int reading_name_now(struct profile *profile, struct error *reterr);

void reading_color(enum reading_color color, struct report_style *style);

/* What standard output can show, as READING has it, of its file, in its form. */
void reading_style(const struct reading *reading, struct report_style *ret_style);

/* Standard output for a page of FORM.  CSV has names as they are: no terminal gets those
 * (base/visible.h); the other forms have no control characters but their own.  What is written must
 * be flushed.  NULL when memory is short. */
FILE *reading_output(enum report_form form);
