// SPDX-License-Identifier: BSD-2-Clause
#include "view/html_section.h"

/* The code of the hottest functions. */

static bool has_source(const struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->file_count; i++)
		if (annotation->files[i].ticks && *annotation->files[i].path)
			return true;
	return false;
}

static int print_about(const struct section *section, const void *context)
{
	struct annotate_section part = *(const struct annotate_section *)context;

	part.section = section;
	annotate_print_about(&part);
	annotate_print_legend(&part);
	return 0;
}

static void print_title(const struct annotate_section *part, size_t number)
{
	const struct annotation *annotation = part->annotation;
	struct interval range = interval_of_share(annotation->ticks, annotation->total);
	FILE *out = part->section->out;

	(void)fprintf(out, "<h3 id=f%zu><span class=\"dot c%d\"></span><code>", number,
		      annotation->class);
	html_print_function(out, annotation->function);
	(void)fputs("</code> <small>in ", out);
	html_print_name(out, annotation->object);
	(void)fprintf(out, "</small></h3>\n<p class=about>%s sample%s",
		      text_count(annotation->ticks).text, text_plural(annotation->ticks));
	if (part->section->ranks)
		(void)fprintf(
			out, ", %s of all (%.1f – %.1f %%)",
			text_share((double)annotation->ticks / (double)annotation->total).text,
			100 * range.low, 100 * range.high);
	(void)fputs("</p>\n", out);
}

/* A pane that can be folded, open when it is the one that says most; its table is wider than some
 * pages are. */
static int print_pane(struct annotate_section *part, enum annotate_pane pane, bool source)
{
	bool open = source == (pane == PANE_SOURCE);
	const char *title = pane == PANE_SOURCE ? "Source" : "Instructions";
	FILE *out = part->section->out;
	int ret;

	(void)fprintf(out,
		      "<details%s><summary>%s</summary><div class=scroll role=region tabindex=0 "
		      "aria-label=\"%s of the function\">",
		      open ? " open" : "", title, title);
	part->peak = annotate_peak(part->annotation, pane);
	ret = pane == PANE_SOURCE ? html_source(part) : html_listing(part, source);
	(void)fputs("</div></details>\n", out);
	return ret;
}

static int print_function(struct annotate_section *part, size_t number)
{
	bool source = has_source(part->annotation);
	FILE *out = part->section->out;
	int ret;

	part->ranks = part->annotation->ticks >= EVIDENCE_FLOOR;
	(void)fputs("<article class=function>\n", out);
	print_title(part, number);
	(void)fputs("<ul class=notes>", out);
	ret = html_print_lines(part->section, print_about, part, "li");
	(void)fputs("</ul>\n", out);
	if (!ret && source)
		ret = print_pane(part, PANE_SOURCE, source);
	if (!ret)
		ret = print_pane(part, PANE_ASM, source);
	(void)fputs("</article>\n", out);
	return ret;
}

static void print_lead(const struct html_part *part)
{
	const struct annotate_view *code = part->view->code;
	uint64_t ticks = 0;

	for (size_t i = 0; i < code->count; i++)
		ticks += code->functions[i]->ticks;
	(void)fprintf(part->section->out,
		      "<p class=lead>The code of the hottest %s function%s, with %s of %s samples. "
		      "Shares are of each function's own samples.\n",
		      text_count(code->count).text, text_plural(code->count),
		      text_count(ticks).text, text_count(part->section->account.total).text);
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
	for (size_t i = 0; i < code->count && !ret; i++) {
		function.annotation = code->functions[i];
		ret = print_function(&function, i);
	}
	(void)fputs("</section>\n", part->section->out);
	return ret;
}
