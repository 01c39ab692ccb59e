/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/json.h"
#include "view/report.h"
#include "view/text.h"

/* The sections of a report, each in a file of its own. */

struct annotate_view;

struct section {
	FILE *out;
	const struct profile *profile;
	const struct table *table;
	const struct report_style *style;
	const struct marks *marks;
	const struct annotate_view *code; /* a page: the functions whose code is on it */
	struct profile_account account;
	const char *value; /* what the cells are of instead of samples (filter_value()), or NULL; */
	bool is_time;	   /* that is in nanoseconds */
	bool ranks;	   /* enough samples for shares to mean something: EVIDENCE_FLOOR */
};

/* What all views of PROFILE begin with. */
struct section section_of(FILE *out, const struct profile *profile,
			  const struct report_style *style);

/* The unit of the section's value in files. */
const char *section_unit(const struct section *section);

/* So many samples, or so much of the section's value. */
struct text_number section_amount(const struct section *section, uint64_t ticks);

/* A class has one colour in the first lines and in the rows. */
const char *section_ink(enum profile_class class);

/* How many rows of the table are shown. */
size_t section_rows(const struct section *section);

/* The text: whose time it was | the accounting, and what a reader must know. */
int head_print(const struct section *section);
int lives_print(const struct section *section); /* where all of the time went (--wall), if known */
int lives_print_rows(const struct section *section); /* how much of it the table's rows have */
int lives_json(const struct section *section, struct json *json);
void account_print(const struct section *section, bool intervals); /* whether they are shown */
void account_print_sums(const struct section *section);		   /* without how to read shares */
void head_print_no_stacks(const struct section *section);	   /* why there are none, a line */
void paths_print(const struct section *section);	 /* how many call stacks are whole */
void paths_print_reasons(const struct section *section); /* why the others are not, a line each */
void paths_json(const struct section *section, struct json *json);
int notes_print(const struct section *section);

/* The rows of the table, in the style's form; JSON is for that form alone, else NULL.  Returns 0 or
 * -ENOMEM. */
int rows_print(const struct section *section, struct json *json);

/* Whose time it was: the command line, or where a profile from elsewhere was read. */
const char *head_subject(const struct section *section);

/* "3.42 s of CPU in 1.80 s, 3,410 samples at 997 Hz (kernel engine, per-CPU clock)".  Returns 0
 * with heap text, or -ENOMEM. */
int head_describe(const struct section *section, char **ret_text);

/* Open the object that each view's JSON is, with the fields that all begin with: how the profile
 * was taken, the classes, the identity, the notes.  The section needs no table. */
void json_head(const struct section *section, struct json *json);

/* How many samples were taken and how many are counted, and whether that is the same. */
void json_identity(struct json *json, const struct profile *profile,
		   const struct profile_account *account);
