// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/table_inlines.h"
#include "view/markdown.h"
#include "view/section.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* A report that can be pasted into a review: the table and its accounting. */

/* What stands behind share, interval and ticks, for each way to make rows. */
static const struct {
	const char *titles;
	int count;
} columns[TABLE_BYS] = {
	[TABLE_BY_FUNCTION] = {"function | object", 2},
	[TABLE_BY_LINE] = {"line | function | inlined | object", 4},
	[TABLE_BY_ADDRESS] = {"address | function | inlined | object", 4},
	[TABLE_BY_OBJECT] = {"object | path", 2},
	[TABLE_BY_PROCESS] = {"pid | process", 2},
	[TABLE_BY_THREAD] = {"pid | tid | thread", 3},
	[TABLE_BY_COMM] = {"comm", 1},
	[TABLE_BY_CPU] = {"cpu", 1},
	[TABLE_BY_CGROUP] = {"cgroup", 1},
};

static void print_code(FILE *out, const char *text)
{
	(void)fputs("| ", out);
	markdown_print_code(out, text);
	(void)fputc(' ', out);
}

static void print_name(FILE *out, const char *function)
{
	(void)fputs("| ", out);
	markdown_print_function(out, function);
	(void)fputc(' ', out);
}

/* What is not known is left blank. */
static void print_number(FILE *out, bool hexadecimal, uint64_t number)
{
	char text[24] = "";

	if (number && hexadecimal)
		(void)snprintf(text, sizeof(text), "0x%" PRIx64, number);
	else if (number)
		(void)snprintf(text, sizeof(text), "%" PRIu64, number);
	print_code(out, text);
}

static void print_function(FILE *out, const struct table_row *row)
{
	print_name(out, row->function);
	print_name(out, row->inlined);
	print_code(out, row->object);
}

static void print_row(const struct section *section, const struct table_row *row)
{
	FILE *out = section->out;

	markdown_print_ticks(out, row->ticks, section->table->total);
	switch (section->table->by) {
	case TABLE_BY_LINE:
		print_code(out, *row->file ? row->name : "");
		print_function(out, row);
		break;
	case TABLE_BY_ADDRESS:
		print_number(out, /* hexadecimal= */ true, row->address);
		print_function(out, row);
		break;
	case TABLE_BY_OBJECT:
		print_code(out, row->name);
		print_code(out, row->path);
		break;
	case TABLE_BY_COMM:
	case TABLE_BY_CPU:
	case TABLE_BY_CGROUP:
		print_code(out, row->name);
		break;
	case TABLE_BY_THREAD:
	case TABLE_BY_PROCESS:
		print_number(out, /* hexadecimal= */ false, row->pid);
		if (section->table->by == TABLE_BY_THREAD)
			print_number(out, /* hexadecimal= */ false, row->tid);
		print_code(out, row->name);
		break;
	default:
		(void)fputs(*row->inlined ? "| ↳ " : "| ", out);
		markdown_print_code(out, row->name);
		(void)fputs(*row->inlined ? " (inlined) " : " ", out);
		print_code(out, row->object);
	}
	(void)fputs("|\n", out);
}

static void print_rest(const struct section *section)
{
	const struct table *table = section->table;
	size_t shown = section_rows(section);
	uint64_t ticks = 0;

	for (size_t i = shown; i < table->row_count; i++)
		ticks = ticks_add(ticks, table->rows[i].ticks);
	if (shown < table->row_count)
		(void)fprintf(section->out, "… and %s more row%s with %s tick%s\n\n",
			      text_count(table->row_count - shown).text,
			      text_plural(table->row_count - shown), text_count(ticks).text,
			      text_plural(ticks));
	if (table->shown != table->total)
		(void)fprintf(section->out, "%s of %s ticks are in the rows asked for\n\n",
			      text_count(table->shown).text, text_count(table->total).text);
}

int report_markdown(const struct section *section)
{
	const struct table *table = section->table;
	FILE *out = section->out;
	char *description;
	int r = head_describe(section, &description);

	if (r)
		return r;
	(void)fputs("**", out);
	markdown_print_code(out, head_subject(section));
	(void)fprintf(out, "** · %s\n\n", description);
	free(description);
	if (table->row_count)
		markdown_print_titles(out, table->total, columns[table->by].titles,
				      columns[table->by].count);
	for (size_t i = 0; i < section_rows(section); i++) {
		print_row(section, &table->rows[i]);
		for (uint32_t j = 0; j < table->rows[i].part_count; j++) {
			struct table_row part = table_inlines_row(table, &table->rows[i], j);

			print_row(section, &part);
		}
	}
	if (table->row_count)
		(void)fputc('\n', out);
	print_rest(section);
	account_print_sums(section);
	return 0;
}
