/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/filter.h"
#include "cmd/option.h"
#include "format/format.h"
#include "profile/profile.h"
#include "symbol/symbol.h"
#include "view/report.h"

/* What commands that show a profile do alike. */

enum reading_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER }; /* as --color=WHEN has it */

/* What they are told alike. */
struct reading {
	const char *file; /* NULL: the usual one */
	struct format_hints hints;
	struct filter filter;
	const char *under; /* only samples under functions of such names; NULL: all */
	enum report_form form;
	enum reading_color color;
};

/* Take KEY, one of the shared options that say which FORM; another is ignored.  Returns 0, or
 * EXIT_PROFIL after having said that there is a FORM already. */
int reading_take_form(enum report_form *form, int key);

/* Take one of the shared options that say of whose ticks alone; another is ignored. */
void reading_take_filter(struct filter *filter, int key, const struct option_value *value);

/* Take one of the shared options that are of READING; a key that is not one is ignored.  Returns as
 * reading_take_form() does. */
int reading_take(struct reading *reading, int key, const struct option_value *value);

/* Read the profile FILE, of any format, with HINTS as format_read() takes them; NULL is the usual
 * one, and is named in what is said when it is not there.  Returns 0, or -errno with a sentence. */
int reading_open(const char *file, const struct format_hints *hints, struct profile **ret_profile,
		 struct error *reterr);

/* The one file that command NAME is given, by an option in *FILE already, or as the one of its
 * COUNT operands; *FILE stays NULL where it is given none.  Returns 0, or EXIT_PROFIL after having
 * said that there are more. */
int reading_operand(const char *name, int count, char **operands, const char **file);

/* Read READING's file as reading_open() does, let SHOW have it with CONTEXT, and free it.  Returns
 * the exit status: what SHOW returned, or EXIT_PROFIL after having said why there is nothing to
 * show. */
int reading_show(const struct reading *reading, int (*show)(void *context, struct profile *profile),
		 void *context);

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
