// SPDX-License-Identifier: BSD-2-Clause
#include "view/html_section.h"

#include <inttypes.h>
#include <string.h>

/* The code of the hottest functions. */

bool html_has_code(const struct annotation *function)
{
	return !*function->why_no_code || annotate_has_source(function);
}

size_t html_find_code(const struct annotate_view *code, const struct table_row *row)
{
	size_t i = 0;

	while (i < code->count && (strcmp(code->functions[i]->function, row->name) != 0 ||
				   strcmp(code->functions[i]->path, row->path) != 0))
		i++;
	return i < code->count && html_has_code(code->functions[i]) ? i : code->count;
}

static int print_about(const struct section *section, const void *context)
{
	struct annotate_section part = *(const struct annotate_section *)context;

	part.section = section;
	annotate_print_about(&part);
	annotate_print_legend(&part);
	return 0;
}

/* What is seen of a function that is folded. */
static void print_title(const struct annotate_section *part)
{
	const struct annotation *annotation = part->annotation;
	struct interval range = interval_of_share(annotation->ticks, annotation->total);
	FILE *out = part->section->out;

	(void)fprintf(out, "<summary><h3><span class=\"dot c%d\"></span><code>", annotation->class);
	html_print_function(out, annotation->function);
	(void)fputs("</code> <small>in ", out);
	html_print_name(out, annotation->object);
	(void)fprintf(out, "</small></h3>\n<p class=about>%s",
		      text_many(annotation->ticks, "sample").text);
	if (part->section->ranks)
		(void)fprintf(
			out, ", %s of all (%.1f – %.1f %%)",
			text_share((double)annotation->ticks / (double)annotation->total).text,
			100 * range.low, 100 * range.high);
	(void)fputs("</p></summary>\n", out);
}

/* A pane that can be folded, open when it is the one that says most; its table is wider than some
 * pages are. */
static int print_pane(const struct annotate_section *part, enum annotate_pane pane, bool open)
{
	bool source = pane == PANE_SOURCE;
	const char *title = source ? "Source" : "Instructions";
	struct annotate_style style = *part->style;
	struct annotate_section shown = *part;
	FILE *out = part->section->out;
	int ret;

	(void)fprintf(out,
		      "<details%s><summary>%s</summary><div class=scroll role=region tabindex=0 "
		      "aria-label=\"%s of the function\"><table class=\"code %s\">",
		      open ? " open" : "", title, title, source ? "source" : "asm");
	style.pane = pane;
	shown.style = &style;
	shown.peak = annotate_peak(part->annotation, pane);
	ret = source ? annotate_source_print(&shown) : annotate_rows_print(&shown);
	(void)fputs("</table></div></details>\n", out);
	return ret;
}

/* A link leads to what is within, so that a browser opens it. */
static int print_function(struct annotate_section *part, size_t number, bool open)
{
	bool source = annotate_has_source(part->annotation);
	FILE *out = part->section->out;
	int ret;

	part->ranks = part->annotation->ticks >= EVIDENCE_FLOOR;
	(void)fprintf(out, "<details class=function%s>", open ? " open" : "");
	print_title(part);
	(void)fprintf(out, "<div id=f%zu>\n<ul class=notes>", number);
	ret = html_print_lines(part->section, print_about, part, "li");
	(void)fputs("</ul>\n", out);
	if (!ret && source)
		ret = print_pane(part, PANE_SOURCE, /* open= */ true);
	if (!ret && !*part->annotation->why_no_code)
		ret = print_pane(part, PANE_BOTH, /* open= */ !source);
	(void)fputs("</div></details>\n", out);
	return ret;
}

/* One line for each object and reason, whose first function is FIRST. */
static void print_without(const struct html_part *part, size_t first)
{
	const struct annotate_view *code = part->view->code;
	const struct annotation *head = code->functions[first];
	FILE *out = part->section->out;
	size_t count = 0;
	uint64_t ticks = 0;

	for (size_t i = 0; i < code->count; i++) {
		const struct annotation *function = code->functions[i];

		if (html_has_code(function) || strcmp(function->object, head->object) != 0 ||
		    strcmp(function->why_no_code, head->why_no_code) != 0)
			continue;
		if (i < first)
			return;
		count++;
		ticks += function->ticks;
	}
	(void)fprintf(out, "<li data-samples=%" PRIu64 " data-count=%zu>", ticks, count);
	html_print_name(out, head->object);
	(void)fputs(": ", out);
	html_print_text(out, head->why_no_code);
	(void)fprintf(out, " (%s, %s)\n", text_many(count, "function").text,
		      text_many(ticks, "sample").text);
}

static void print_lead(const struct html_part *part)
{
	const struct annotate_view *code = part->view->code;
	FILE *out = part->section->out;
	uint64_t ticks = 0;
	size_t count = 0;

	for (size_t i = 0; i < code->count; i++)
		if (html_has_code(code->functions[i])) {
			ticks += code->functions[i]->ticks;
			count++;
		}
	if (count)
		(void)fprintf(
			out,
			"<p class=lead>The code of %s of the hottest functions, with %s of %s "
			"samples. Shares are of each function's own samples.\n",
			text_count(count).text, text_count(ticks).text,
			text_count(part->section->account.total).text);
	(void)fputs("<ul class=\"notes without\">", out);
	for (size_t i = 0; i < code->count; i++)
		if (!html_has_code(code->functions[i]))
			print_without(part, i);
	(void)fputs("</ul>\n", out);
}

int html_code(const struct html_part *part)
{
	const struct annotate_view *code = part->view->code;
	const struct annotate_style style = {
		.page = *part->section->style,
		.context = HTML_CONTEXT,
		.hottest = HTML_HOTTEST,
	};
	struct annotate_section function = {
		.section = part->section, .view = code, .style = &style};
	int ret = 0;

	if (!code->count)
		return 0;
	(void)fputs("<section id=code aria-labelledby=code-title>\n<h2 id=code-title>Code</h2>\n",
		    part->section->out);
	print_lead(part);
	for (size_t i = 0, shown = 0; i < code->count && !ret; i++) {
		function.annotation = code->functions[i];
		if (html_has_code(function.annotation))
			ret = print_function(&function, i, shown++ < HTML_OPEN);
	}
	(void)fputs("</section>\n", part->section->out);
	return ret;
}
