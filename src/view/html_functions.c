// SPDX-License-Identifier: BSD-2-Clause
#include "view/html_section.h"

#include <inttypes.h>
#include <string.h>

/* The table of functions; html.js sorts and filters it. */

/* The number of the function of ROW among those whose code is shown, or their count. */
static size_t find_code(const struct annotate_view *code, const struct table_row *row)
{
	size_t i = 0;

	while (i < code->count && (strcmp(code->functions[i]->function, row->name) != 0 ||
				   strcmp(code->functions[i]->path, row->path) != 0))
		i++;
	return i < code->count && html_has_code(code->functions[i]) ? i : code->count;
}

static void print_name(const struct html_part *part, const struct table_row *row)
{
	size_t code = find_code(part->view->code, row);
	bool shown = code < part->view->code->count;
	FILE *out = part->section->out;

	(void)fputs("<th scope=row class=f data-o=\"", out);
	html_print_name(out, row->object);
	(void)fputs("\">", out);
	if (shown)
		(void)fprintf(out, "<a href=\"#f%zu\">", code);
	(void)fputs("<code>", out);
	html_print_function(out, row->name);
	(void)fprintf(out, "</code>%s", shown ? "</a>" : "");
}

static void print_row(const struct html_part *part, const struct table_row *row, double scale)
{
	const struct table *table = part->view->table;
	bool ranks = part->section->ranks;
	FILE *out = part->section->out;

	(void)fprintf(out, "<tr class=c%d data-ticks=%" PRIu64 ">", row->class, row->ticks);
	html_print_share(out, row->ticks, table->total, ranks);
	if (ranks)
		html_print_bar(out, row->ticks, table->total, scale);
	html_print_interval(out, row->ticks, table->total, ranks);
	html_print_ticks(out, row->ticks);
	print_name(part, row);
	(void)fputs("<td class=o>", out);
	html_print_name(out, row->object);
	(void)fputc('\n', out);
}

static void print_titles(const struct html_part *part)
{
	FILE *out = part->section->out;

	(void)fputs("<caption class=vh>Functions by samples</caption><thead><tr>", out);
	if (part->section->ranks)
		(void)fputs(
			"<th scope=col class=n>share<th scope=col class=b><span class=vh>interval, "
			"drawn</span><th scope=col class=v>95 % interval",
			out);
	(void)fputs("<th scope=col class=n data-key=samples aria-sort=descending>samples"
		    "<th scope=col class=f data-key=name>function"
		    "<th scope=col class=o data-key=object>object</thead>\n",
		    out);
}

/* A row of the sums at the table's foot. */
static void print_sum(const struct html_part *part, const char *id, const char *name,
		      uint64_t ticks)
{
	uint64_t total = part->view->table->total;
	FILE *out = part->section->out;

	(void)fprintf(out, "<tr id=%s data-ticks=%" PRIu64 ">", id, ticks);
	html_print_share(out, ticks, total, part->section->ranks);
	if (part->section->ranks)
		(void)fputs("<td class=b><td class=v>", out);
	(void)fprintf(out, "<td class=n>%s<th scope=row class=f>%s<td class=o>\n",
		      text_count(ticks).text, name);
}

static void print_sums(const struct html_part *part)
{
	const struct table *table = part->view->table;
	size_t shown = section_rows(part->section);
	uint64_t ticks = 0;
	char name[80];

	for (size_t i = shown; i < table->row_count; i++)
		ticks = ticks_add(ticks, table->rows[i].ticks);
	(void)fputs("<tfoot>", part->section->out);
	if (shown < table->row_count) {
		(void)snprintf(name, sizeof(name), "and %s more function%s",
			       text_count(table->row_count - shown).text,
			       text_plural(table->row_count - shown));
		print_sum(part, "rest", name, ticks);
	}
	print_sum(part, "sum", "all", table->total);
	(void)fputs("</tfoot>\n", part->section->out);
}

int html_functions(const struct html_part *part)
{
	const struct table *table = part->view->table;
	FILE *out = part->section->out;
	double scale;

	(void)fprintf(out,
		      "<section id=functions aria-labelledby=functions-title>\n"
		      "<h2 id=functions-title>Functions <small>%s</small></h2>\n",
		      text_count(table->row_count).text);
	if (!table->row_count) {
		(void)fputs("<p>No function has a sample.\n</section>\n", out);
		return 0;
	}
	scale = interval_of_share(table->rows[0].ticks, table->total).high;
	(void)fputs(
		"<p class=tools hidden><label>Filter <input id=filter type=search spellcheck=false "
		"autocomplete=off placeholder=\"words of a function or object\"></label>"
		"<output id=found for=filter></output></p>\n"
		"<div class=scroll role=region tabindex=0 aria-labelledby=functions-title>"
		"<table id=rows class=rows>",
		out);
	print_titles(part);
	(void)fputs("<tbody>\n", out);
	for (size_t i = 0; i < section_rows(part->section); i++)
		print_row(part, &table->rows[i], scale);
	(void)fputs("</tbody>", out);
	print_sums(part);
	(void)fputs("</table></div>\n", out);
	html_print_more(out, section_rows(part->section), "function", " id=more");
	(void)fputs("</section>\n", out);
	return 0;
}
