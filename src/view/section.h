/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/json.h"
#include "view/report.h"
#include "view/text.h"

/* The sections of a report, each in a file of its own. */

struct section {
	FILE *out;
	const struct profile *profile;
	const struct table *table;
	const struct report_style *style;
	const struct marks *marks;
	struct profile_account account;
	bool ranks; /* enough ticks for shares to mean something: EVIDENCE_FLOOR */
};

/* A class has one colour in the first lines and in the rows. */
const char *section_ink(enum profile_class class);

/* How many rows of the table are shown. */
size_t section_rows(const struct section *section);

/* The text: whose time it was | the rows | the accounting, and what a reader must know. */
int head_print(const struct section *section);
int rows_print(const struct section *section);
void account_print(const struct section *section);
void account_print_sums(const struct section *section); /* without how to read shares */
int notes_print(const struct section *section);

/* Whose time it was: the command line, or where a profile from elsewhere was read. */
const char *head_subject(const struct section *section);

/* "3.42 s of CPU in 1.80 s, 3,410 ticks at 997 Hz (kernel engine, machine clock)".  Returns 0 with
 * heap text, or -ENOMEM. */
int head_describe(const struct section *section, char **ret_text);

/* The same for programs: one JSON object; RFC 4180 with a header line. */
void json_print(const struct section *section);
void csv_print(const struct section *section);

/* The same for review comments.  Returns 0 or -ENOMEM. */
int report_markdown(const struct section *section);

/* The fields that every JSON object begins with: "{", how the profile was taken, the classes, the
 * identity, the notes.  The section needs no table. */
void json_print_head(const struct section *section);

/* Fields of an object, each followed by ", ". */
void json_print_text(FILE *out, const char *name, const char *text);
void json_print_count(FILE *out, const char *name, uint64_t count);
void json_print_bool(FILE *out, const char *name, bool value);

/* "ticks", and their "share" of TOTAL with "low" and "high", the ends of its interval. */
void json_print_share(FILE *out, uint64_t ticks, uint64_t total);

/* TEXT as a CSV field, quoted where it must be. */
void csv_print_field(FILE *out, const char *text);
