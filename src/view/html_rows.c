// SPDX-License-Identifier: BSD-2-Clause
#include "view/html_section.h"

/* The table of functions, which html.js sorts and filters, and one of each other thing that the
 * profile keeps apart. */

const char *html_rows_title(enum table_by by)
{
	/* That of the functions' samples has no title of these. */
	static const char *const titles[TABLE_BYS] = {
		[TABLE_BY_REASON] = "Reasons",	  [TABLE_BY_FUNCTION] = "Waits",
		[TABLE_BY_PROCESS] = "Processes", [TABLE_BY_THREAD] = "Threads",
		[TABLE_BY_CPU] = "CPUs",	  [TABLE_BY_CGROUP] = "Control groups",
	};

	return titles[by];
}

static const char filter[] =
	"<p class=tools hidden><label>Filter <input id=filter type=search spellcheck=false "
	"autocomplete=off placeholder=\"words of a function or object\"></label>"
	"<output id=found for=filter></output></p>\n";

/* NAME: of the section, for links and the style sheet. */
static int print_table(const struct html_part *part, const struct table *table, const char *name)
{
	bool functions = table == part->view->table;
	struct section section = *part->section;
	FILE *out = section.out;
	int ret;

	section.table = table;
	(void)fprintf(out,
		      "<section id=%s%s aria-labelledby=%s-title>\n"
		      "<h2 id=%s-title>%s <small>%s</small></h2>\n",
		      name, functions ? "" : " class=apart", name, name,
		      functions ? "Functions" : html_rows_title(table->by),
		      text_count(table->row_count).text);
	if (!table->row_count) {
		(void)fputs("<p>No function has a sample.\n</section>\n", out);
		return 0;
	}
	(void)fprintf(out,
		      "%s<div class=scroll role=region tabindex=0 aria-labelledby=%s-title>"
		      "<table%s class=rows>",
		      functions ? filter : "", name, functions ? " id=rows" : "");
	ret = rows_print(&section, /* json= */ NULL);
	(void)fputs("</table></div>\n", out);
	html_print_more(out, section_rows(&section), functions ? "function" : "row",
			functions ? " id=more" : "");
	(void)fputs("</section>\n", out);
	return ret;
}

int html_rows(const struct html_part *part)
{
	int ret = print_table(part, part->view->table, "functions");

	for (size_t i = 0; i < part->view->apart_count && !ret; i++)
		ret = print_table(part, part->view->apart[i],
				  table_by_name(part->view->apart[i]->by));
	return ret;
}
