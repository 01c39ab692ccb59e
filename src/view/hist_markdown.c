// SPDX-License-Identifier: BSD-2-Clause
#include "view/hist_section.h"
#include "view/markdown.h"

#include <inttypes.h>
#include <stdlib.h>

static void print_row(FILE *out, const struct hist *hist, const struct hist_row *row)
{
	char *name = hist_row_name(row);
	char address[24];

	if (!row->ticks) {
		free(name);
		return;
	}
	(void)snprintf(address, sizeof(address), "%" PRIx64, row->start);
	markdown_print_ticks(out, row->ticks, hist->total);
	(void)fprintf(out, "| %s | ", text_count(row->sum).text);
	markdown_print_code(out, address);
	if (row->is_fold)
		(void)fprintf(out, " | %s |\n", name ? name : "");
	else {
		(void)fputs(" | ", out);
		markdown_print_function(out, name ? name : "");
		(void)fputs(" |\n", out);
	}
	free(name);
}

static void print_object(FILE *out, const struct hist *hist, const struct hist_object *object)
{
	char *text = hist_object_text(object, /* all= */ true);

	(void)fputs("**", out);
	markdown_print_code(out, object->object);
	(void)fprintf(out, "**: %s tick%s; %s\n\n", text_count(object->ticks).text,
		      text_plural(object->ticks), text ? text : "");
	free(text);
	markdown_print_titles(out, hist->total, "sum | address | function", 3);
	for (size_t i = 0; i < object->row_count; i++)
		print_row(out, hist, &object->rows[i]);
	(void)fputc('\n', out);
}

void hist_markdown(const struct hist_section *part)
{
	const struct hist *hist = part->hist;
	FILE *out = part->section->out;

	for (size_t i = 0; i < hist->object_count; i++)
		print_object(out, hist, &hist->objects[i]);
	(void)fprintf(out, "%s ticks = %s above + %s without an address + %s in other objects\n",
		      text_count(hist->total).text, text_count(hist->shown).text,
		      text_count(hist->nowhere).text, text_count(hist->filtered).text);
}
