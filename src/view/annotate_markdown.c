// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "view/annotate_section.h"
#include "view/markdown.h"

#include <inttypes.h>
#include <string.h>

/* What has ticks, as tables that can be pasted into a review. */

static void print_place(FILE *out, const struct annotation *annotation,
			const struct annotated_line *line)
{
	const char *path = annotation->files[line->file].path, *slash = strrchr(path, '/');
	char text[300];

	(void)snprintf(text, sizeof(text), "%.280s:%" PRIu32, slash && slash[1] ? slash + 1 : path,
		       line->number);
	(void)fputs("| ", out);
	markdown_print_code(out, line->number ? text : "");
	(void)fputc(' ', out);
}

static void print_line(FILE *out, const struct annotation *annotation,
		       const struct annotated_line *line)
{
	const char *text = source_file_line(&annotation->files[line->file].source, line->number);

	if (!line->ticks)
		return;
	markdown_print_ticks(out, line->ticks, annotation->ticks);
	print_place(out, annotation, line);
	(void)fputs("| ", out);
	text = text ? text + strspn(text, " ") : "";
	markdown_print_code(out, line->number ? text : "[no line known]");
	(void)fputs(" |\n", out);
}

static void print_row(FILE *out, const struct annotation *annotation,
		      const struct annotated_row *row)
{
	char text[INSTRUCTION_TEXT + 16];

	if (!row->ticks)
		return;
	markdown_print_ticks(out, row->ticks, annotation->ticks);
	(void)snprintf(text, sizeof(text), "%" PRIx64, row->instruction.address);
	(void)fputs("| ", out);
	markdown_print_code(out, text);
	(void)fputs(" | ", out);
	markdown_print_code(out, row->instruction.text);
	(void)fputs(row->skid ? " (skid) " : " ", out);
	print_place(out, annotation, &annotation->lines[row->line]);
	(void)fputs("|\n", out);
}

static void print_function(const struct section *section, const struct annotation *annotation,
			   enum annotate_pane pane)
{
	FILE *out = section->out;

	(void)fputs("**", out);
	markdown_print_function(out, annotation->function);
	(void)fputs("** in ", out);
	markdown_print_code(out, annotation->object);
	(void)fprintf(out, ": %s of %s ticks\n\n", text_count(annotation->ticks).text,
		      text_count(annotation->total).text);
	if (pane == PANE_SOURCE) {
		markdown_print_titles(out, annotation->ticks, "line | source", 2);
		for (size_t i = 0; i < annotation->line_count; i++)
			print_line(out, annotation, &annotation->lines[i]);
	} else {
		markdown_print_titles(out, annotation->ticks, "address | instruction | line", 3);
		for (size_t i = 0; i < annotation->row_count; i++)
			print_row(out, annotation, &annotation->rows[i]);
	}
	(void)fputc('\n', out);
}

void annotate_markdown(const struct section *section, const struct annotate_view *view,
		       const struct annotate_style *style)
{
	uint64_t total = section->account.total, shown = 0;

	for (size_t i = 0; i < view->count; i++) {
		print_function(section, view->functions[i], style->pane);
		shown += view->functions[i]->ticks;
	}
	(void)fprintf(section->out, "%s ticks = %s above + %s elsewhere\n", text_count(total).text,
		      text_count(shown).text, text_count(total - shown).text);
}
