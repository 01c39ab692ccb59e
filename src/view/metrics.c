// SPDX-License-Identifier: BSD-2-Clause
#include "view/metrics.h"

#include "analysis/table.h"
#include "view/text.h"

#include <inttypes.h>
#include <string.h>

/* While a program runs, the profile of all of its time only grows, and so does each number here:
 * also that of a function that leaves the list and comes back. */

#define NAME_MAX_CHARACTERS 240

static void put(FILE *out, const char *character, size_t size)
{
	if (*character == '"' || *character == '\\')
		(void)fputc('\\', out);
	(void)fwrite(character, 1, size, out);
}

static void print_head(FILE *out, const char *name, const char *help)
{
	(void)fprintf(out, "# HELP profil_%s %s\n# TYPE profil_%s counter\n", name, help, name);
}

static void print_seconds(FILE *out, const char *name, const char *help, uint64_t ns)
{
	if (!ns)
		return;
	print_head(out, name, help);
	(void)fprintf(out, "profil_%s %.9f\n", name, (double)ns / 1e9);
}

static void print_account(FILE *out, const struct profile *profile)
{
	const struct profile_facts *facts = &profile->facts;
	struct profile_account account;

	profile_account(profile, &account);
	print_seconds(out, "elapsed_seconds_total", "How long it was measured.",
		      facts->duration_ns);
	print_seconds(out, "cpu_seconds_total", "CPU time by the kernel's own count.",
		      facts->cpu_ns);
	print_seconds(out, "stolen_seconds_total", "Taken by the host meanwhile.",
		      facts->stolen_ns);
	print_head(out, "samples_total", "Samples by the class of code that they were taken in.");
	for (int class = 0; class < PROFILE_CLASSES; class ++)
		if (account.listed[class])
			(void)fprintf(out, "profil_samples_total{class=\"%s\"} %" PRIu64 "\n",
				      profile_class_name((enum profile_class) class),
				      account.ticks[class]);
	print_head(out, "unkept_samples_total",
		   "Samples whose address was not kept, because the cell table was full.");
	(void)fprintf(out, "profil_unkept_samples_total %" PRIu64 "\n", account.overflow);
}

static bool is_same(const struct table_row *row, const struct table_row *other)
{
	return !strcmp(row->name, other->name) && !strcmp(row->path, other->path);
}

/* A file that was replaced has rows of its own, of the same names. */
static void print_row(FILE *out, const struct table *table, size_t number, size_t count,
		      uint64_t period_ns)
{
	const struct table_row *row = &table->rows[number];
	uint64_t ticks = row->ticks;

	if (row->class == CLASS_IDLE)
		return;
	for (size_t i = 0; i < number; i++)
		if (is_same(&table->rows[i], row))
			return;
	for (size_t i = number + 1; i < count; i++)
		if (is_same(&table->rows[i], row))
			ticks += table->rows[i].ticks;
	(void)fputs("profil_function_cpu_seconds_total{function=\"", out);
	text_print_each(out, row->name, NAME_MAX_CHARACTERS, put);
	(void)fputs("\",object=\"", out);
	text_print_each(out, *row->path ? row->path : row->object, NAME_MAX_CHARACTERS, put);
	(void)fprintf(out, "\"} %.9f\n", (double)ticks * (double)period_ns / 1e9);
}

int metrics_print(FILE *out, const struct profile *profile, size_t top, struct error *reterr)
{
	struct table *table;
	int ret = table_build(profile, &(struct table_options){0}, &table, reterr);
	size_t count;

	if (ret)
		return ret;
	print_account(out, profile);
	print_head(out, "function_cpu_seconds_total",
		   "CPU time in the function itself: its samples by their period.");
	count = table->row_count < top ? table->row_count : top;
	for (size_t i = 0; i < count; i++)
		print_row(out, table, i, count, facts_asked(&profile->facts));
	(void)table_free(table);
	return 0;
}
