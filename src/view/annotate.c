// SPDX-License-Identifier: BSD-2-Clause
#include "view/annotate.h"

#include "analysis/interval.h"
#include "base/path.h"
#include "view/annotate_section.h"
#include "view/heat.h"
#include "view/layout.h"
#include "view/page.h"
#include "view/shorten.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A function's name has so much of the page, however narrow that is. */
#define NAME_LEAST 16

bool annotate_has_inlined(const struct annotation *annotation, const bool *shown)
{
	for (size_t i = 0; i < annotation->row_count; i++)
		if (annotation->rows[i].inlined &&
		    (shown ? shown[i] : annotation->rows[i].ticks > 0))
			return true;
	return false;
}

bool annotate_has_source(const struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->file_count; i++)
		if (annotation->files[i].ticks && *annotation->files[i].path)
			return true;
	return false;
}

bool annotate_has_skid(const struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->row_count; i++)
		if (annotation->rows[i].skid)
			return true;
	return false;
}

struct grid annotate_grid(const struct annotate_section *part, const struct grid_column *columns,
			  unsigned wide)
{
	unsigned width = part->section->style->width;

	return (struct grid){
		.out = part->section->out,
		.style = part->section->style,
		.columns = columns,
		.total = part->annotation->ticks,
		.no_interval = width && width < wide,
		.peak = part->peak,
	};
}

struct grid_cell annotate_ticks(const struct annotate_section *part, uint64_t ticks)
{
	return (struct grid_cell){
		.count = ticks,
		.blank = !ticks,
		.ink = heat_ink(heat_of(ticks, part->peak), part->section->style->true_color),
	};
}

/* "mf.c:521-530" of the rows FIRST to LAST, "" when their lines are not known. */
struct lines {
	char text[160];
};
static struct lines lines_of(const struct annotation *annotation, uint32_t first, uint32_t last,
			     const char *to)
{
	struct lines range = {""};
	const struct annotated_line *head = &annotation->lines[annotation->rows[first].line];
	uint32_t low = head->number, high = head->number;
	const char *path = annotation->files[head->file].path;

	for (uint32_t i = first; i <= last; i++) {
		const struct annotated_line *line = &annotation->lines[annotation->rows[i].line];

		if (line->file != head->file || !line->number)
			continue;
		low = line->number < low ? line->number : low;
		high = line->number > high ? line->number : high;
	}
	if (!*path || !head->number)
		return range;
	(void)snprintf(range.text, sizeof(range.text),
		       low == high ? "%.100s:%" PRIu32 : "%.100s:%" PRIu32 "%s%" PRIu32,
		       path_base(path), low, to, high);
	return range;
}

/* ---- what stands above the rows ---- */

static void print_of_all(const struct annotate_section *part)
{
	const struct annotation *annotation = part->annotation;
	struct interval range = interval_of_share(annotation->ticks, annotation->total);
	FILE *out = part->section->out;

	(void)fprintf(out, " %s %s", part->section->marks->dot,
		      text_many(annotation->ticks, "sample").text);
	if (part->section->ranks)
		(void)fprintf(
			out, ", %s of all (%.1f %s %.1f %%)",
			text_share((double)annotation->ticks / (double)annotation->total).text,
			100 * range.low, part->section->marks->to, 100 * range.high);
}

static void print_extent(const struct annotate_section *part)
{
	const struct annotation *annotation = part->annotation;

	if (*annotation->why_no_code)
		return;
	(void)fprintf(part->section->out, " %s 0x%" PRIx64 "%s0x%" PRIx64 ", %s",
		      part->section->marks->dot, annotation->start, part->section->marks->to,
		      annotation->end, text_many(annotation->row_count, "instruction").text);
}

/* The function's name, so that it and its object are one line where the page allows that. */
static void print_name(const struct annotate_section *part)
{
	const struct report_style *page = &part->style->page;
	size_t behind = strlen(" in ") + text_width(part->annotation->object, page->utf8);
	size_t room = page->width > behind + NAME_LEAST ? page->width - behind : NAME_LEAST;
	char *text = shorten_function(part->annotation->function, page->width ? room : SIZE_MAX,
				      page->utf8);

	text_print(part->section->out, text ? text : part->annotation->function);
	free(text);
}

static void print_title(const struct annotate_section *part)
{
	const struct annotation *annotation = part->annotation;
	bool color = part->style->page.color;
	FILE *out = part->section->out;

	(void)fputs(color ? INK_STRONG : "", out);
	print_name(part);
	(void)fputs(color ? INK_END : "", out);
	(void)fputs(" in ", out);
	(void)fputs(color ? section_ink(annotation->class) : "", out);
	text_print(out, annotation->object);
	(void)fputs(color ? INK_END : "", out);
	print_of_all(part);
	print_extent(part);
	(void)fputc('\n', out);
}

static void print_hot_loop(const struct annotate_section *part)
{
	const struct annotation *annotation = part->annotation;
	const struct loops *loops = &annotation->loops;
	const char *to = part->section->marks->to;
	FILE *out = part->section->out;
	const struct loop *hot;
	struct lines lines;

	if (!loops->items || loops->hot == LOOP_NONE)
		return;
	hot = &loops->items[loops->hot];
	lines = lines_of(annotation, hot->first, hot->last, to);
	(void)fprintf(out, "hot loop: 0x%" PRIx64 "%s0x%" PRIx64,
		      annotation->rows[hot->first].instruction.address, to,
		      annotation->rows[hot->last].instruction.address);
	if (*lines.text) {
		(void)fputs(", ", out);
		text_print(out, lines.text);
	}
	(void)fprintf(out, ": %s", text_many(hot->steps, "instruction").text);
	if (part->ranks)
		(void)fprintf(out, ", %s of the function",
			      text_share((double)hot->ticks / (double)annotation->ticks).text);
	(void)fprintf(out, " (%s)\n", text_many(hot->ticks, "sample").text);
}

static void print_note(const struct annotate_section *part, const char *what, const char *says)
{
	bool color = part->style->page.color;
	FILE *out = part->section->out;

	(void)fputs(color ? INK_WARN : "", out);
	text_print(out, what);
	(void)fprintf(out, ": %s%s\n", says, color ? INK_END : "");
}

/* Code of many files, all of another machine, is no reason for many lines. */
static void print_missing_sources(const struct annotate_section *part)
{
	const struct annotation *annotation = part->annotation;
	const struct annotated_file *hottest = NULL;
	char says[128] = "the source is not here";
	size_t missing = 0;

	for (size_t i = 0; i < annotation->file_count; i++) {
		const struct annotated_file *file = &annotation->files[i];

		if (!*file->path || file->source.state != SOURCE_MISSING)
			continue;
		missing++;
		if (!hottest || file->ticks > hottest->ticks)
			hottest = file;
	}
	if (missing > 1)
		(void)snprintf(says, sizeof(says), "the source is not here, nor that of %s",
			       text_many(missing - 1, "more file").text);
	if (hottest)
		print_note(part, hottest->path, says);
}

/* Each thing that is missing is said once, here, and not at every row that lacks it. */
static void print_missing(const struct annotate_section *part)
{
	const struct annotation *annotation = part->annotation;

	if (*annotation->why_no_code && part->style->pane != PANE_SOURCE)
		print_note(part, annotation->object, annotation->why_no_code);
	if (part->style->pane == PANE_ASM)
		return;
	print_missing_sources(part);
	for (size_t i = 0; i < annotation->file_count; i++) {
		const struct annotated_file *file = &annotation->files[i];

		if (!*file->path && file->ticks && !*annotation->why_no_code)
			print_note(part, annotation->object,
				   "some of its code, or all, has no line numbers: build it with "
				   "-g, or install its debug information");
		else if (*file->path && file->source.state == SOURCE_UNREADABLE)
			print_note(part, file->path, "the source cannot be read");
		else if (file->is_newer)
			print_note(part, file->path,
				   "newer than the code: lines may have moved since");
	}
}

/* ---- what stands below them ---- */

static void print_legend(const struct annotate_section *part)
{
	const char *event = profile_text(part->view->profile, part->view->profile->facts.event);

	if (!annotate_has_skid(part->annotation) || part->style->pane == PANE_SOURCE)
		return;
	(void)fprintf(
		part->section->out,
		"%s: skid: the samples are likely those of the slow instruction above, for %s is "
		"not %sprecise\n",
		part->section->style->utf8 ? "↑" : "^", *event ? event : "the event",
		*event ? "" : "known to be ");
}

static void print_same_name(const struct annotate_section *part)
{
	const struct annotation *annotation = part->annotation;

	if (!annotation->same_name)
		return;
	(void)fprintf(part->section->out, "%s in other code called ",
		      text_many(annotation->same_name, "sample").text);
	text_print(part->section->out, annotation->function);
	(void)fputs(" in that object are not shown\n", part->section->out);
}

void annotate_print_about(const struct annotate_section *part)
{
	print_hot_loop(part);
	print_missing(part);
}

void annotate_print_legend(const struct annotate_section *part)
{
	print_legend(part);
	print_same_name(part);
}

uint64_t annotate_peak(const struct annotation *annotation, enum annotate_pane pane)
{
	uint64_t peak = 0;

	for (size_t i = 0; i < annotation->row_count && pane != PANE_SOURCE; i++)
		if (annotation->rows[i].ticks > peak)
			peak = annotation->rows[i].ticks;
	for (size_t i = 0; i < annotation->line_count && pane == PANE_SOURCE; i++)
		if (annotation->lines[i].ticks > peak)
			peak = annotation->lines[i].ticks;
	return peak;
}

static int print_function(struct annotate_section *part)
{
	int ret;

	part->ranks = part->annotation->ticks >= EVIDENCE_FLOOR;
	part->peak = annotate_peak(part->annotation, part->style->pane);
	print_title(part);
	annotate_print_about(part);
	(void)fputc('\n', part->section->out);
	ret = part->style->pane == PANE_SOURCE ? annotate_source_print(part)
					       : annotate_rows_print(part);
	annotate_print_legend(part);
	(void)fputc('\n', part->section->out);
	return ret;
}

uint64_t annotate_shown(const struct annotate_view *view)
{
	uint64_t shown = 0;

	for (size_t i = 0; i < view->count; i++)
		shown += view->functions[i]->ticks;
	return shown;
}

static void print_sums(const struct section *section, const struct annotate_view *view)
{
	uint64_t total = section->account.total, shown = annotate_shown(view);

	(void)fprintf(section->out, "%s = %s above + %s elsewhere\n",
		      text_many(total, "sample").text, text_count(shown).text,
		      text_count(total - shown).text);
	account_print_sums(section);
	(void)fprintf(section->out,
		      "share: of the function's samples; interval: Wilson's 95 %% score interval, "
		      "taking samples as independent\n");
}

static void print_found(const struct section *section, const struct annotate_view *view)
{
	size_t more = view->found - view->count;

	if (view->inlined) {
		text_print(section->out, view->wanted);
		(void)fputs(" is inlined wherever it has samples: what follows is the code it is "
			    "in\n\n",
			    section->out);
	}
	if (more && view->wanted) {
		text_print(section->out, view->wanted);
		(void)fprintf(section->out, ": %s match%s: -n %s shows all\n\n",
			      text_many(more, "more function").text, more == 1 ? "es" : "", "0");
	}
}

/* What the page is made of. */
struct content {
	const struct annotate_view *view;
	const struct annotate_style *style;
};

static int print_text(const struct section *section, const struct content *content)
{
	const struct annotate_view *view = content->view;
	struct annotate_section part = {.section = section, .view = view, .style = content->style};
	int ret = head_print(section);

	print_found(section, view);
	for (size_t i = 0; i < view->count && ret >= 0; i++) {
		part.annotation = view->functions[i];
		ret = print_function(&part);
	}
	if (ret < 0)
		return ret;
	print_sums(section, view);
	return notes_print(section);
}

static int print_form(const struct section *section, const void *context)
{
	const struct content *content = context;

	if (section->style->form == REPORT_JSON)
		return annotate_json(section, content->view);
	if (section->style->form == REPORT_MARKDOWN)
		return annotate_markdown(section, content->view, content->style);
	return print_text(section, content);
}

int annotate_print(FILE *out, const struct annotate_view *view, const struct annotate_style *style)
{
	const struct section section = section_of(out, view->profile, &style->page);
	const struct content content = {view, style};

	return page_print(&section, print_form, &content);
}
