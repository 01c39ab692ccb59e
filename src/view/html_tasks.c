// SPDX-License-Identifier: BSD-2-Clause
#include "view/html_section.h"

#include <inttypes.h>

/* Whose samples they are: a table for each thing that the profile keeps apart. */

const char *html_tasks_title(enum table_by by)
{
	static const char *const titles[TABLE_BYS] = {
		[TABLE_BY_PROCESS] = "Processes",
		[TABLE_BY_THREAD] = "Threads",
		[TABLE_BY_CPU] = "CPUs",
		[TABLE_BY_CGROUP] = "Control groups",
	};

	return titles[by];
}

static bool has_pid(enum table_by by)
{
	return by == TABLE_BY_PROCESS || by == TABLE_BY_THREAD;
}

static void print_titles(const struct html_part *part, const struct table *table)
{
	FILE *out = part->section->out;

	(void)fputs("<thead><tr>", out);
	if (part->section->ranks)
		(void)fputs("<th scope=col class=n>share<th scope=col class=b><span class=vh>"
			    "interval, drawn</span><th scope=col class=v>95 % interval",
			    out);
	(void)fprintf(out, "<th scope=col class=n>samples%s%s<th scope=col class=f>%s</thead>\n",
		      has_pid(table->by) ? "<th scope=col class=n>PID" : "",
		      table->by == TABLE_BY_THREAD ? "<th scope=col class=n>TID" : "",
		      table_by_name(table->by));
}

static void print_row(const struct html_part *part, const struct table *table,
		      const struct table_row *row)
{
	double scale = interval_of_share(table->rows[0].ticks, table->total).high;
	bool ranks = part->section->ranks;
	FILE *out = part->section->out;

	(void)fprintf(out, "<tr class=c%d data-ticks=%" PRIu64 ">", row->class, row->ticks);
	html_print_share(out, row->ticks, table->total, ranks);
	if (ranks)
		html_print_bar(out, row->ticks, table->total, scale);
	html_print_interval(out, row->ticks, table->total, ranks);
	html_print_ticks(out, row->ticks);
	if (has_pid(table->by))
		(void)fprintf(out, "<td class=n>%" PRIu32, row->pid);
	if (table->by == TABLE_BY_THREAD)
		(void)fprintf(out, "<td class=n>%" PRIu32, row->tid);
	(void)fputs("<th scope=row class=f>", out);
	html_print_name(out, row->name);
	(void)fputc('\n', out);
}

/* What has no row has one at the foot. */
static void print_rest(const struct html_part *part, const struct table *table, size_t shown)
{
	FILE *out = part->section->out;
	uint64_t ticks = 0;

	for (size_t i = shown; i < table->row_count; i++)
		ticks = ticks_add(ticks, table->rows[i].ticks);
	if (shown == table->row_count)
		return;
	(void)fprintf(out, "<tfoot><tr data-ticks=%" PRIu64 ">", ticks);
	html_print_share(out, ticks, table->total, part->section->ranks);
	(void)fputs(part->section->ranks ? "<td class=b><td class=v>" : "", out);
	html_print_ticks(out, ticks);
	(void)fprintf(out, "%s%s<th scope=row class=f>and %s more</tfoot>\n",
		      has_pid(table->by) ? "<td>" : "", table->by == TABLE_BY_THREAD ? "<td>" : "",
		      text_count(table->row_count - shown).text);
}

static void print_table(const struct html_part *part, const struct table *table)
{
	const char *name = table_by_name(table->by);
	struct section section = *part->section;
	FILE *out = section.out;
	size_t shown;

	section.table = table;
	shown = section_rows(&section);
	(void)fprintf(out,
		      "<section id=%s class=apart aria-labelledby=%s-title>\n"
		      "<h2 id=%s-title>%s <small>%s</small></h2>\n"
		      "<div class=scroll role=region tabindex=0 aria-labelledby=%s-title>"
		      "<table class=rows>",
		      name, name, name, html_tasks_title(table->by),
		      text_count(table->row_count).text, name);
	print_titles(part, table);
	(void)fputs("<tbody>\n", out);
	for (size_t i = 0; i < shown; i++)
		print_row(part, table, &table->rows[i]);
	(void)fputs("</tbody>", out);
	print_rest(part, table, shown);
	(void)fputs("</table></div>\n", out);
	html_print_more(out, shown, "row", "");
	(void)fputs("</section>\n", out);
}

void html_tasks(const struct html_part *part)
{
	for (size_t i = 0; i < part->view->apart_count; i++)
		print_table(part, part->view->apart[i]);
}
