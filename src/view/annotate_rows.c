// SPDX-License-Identifier: BSD-2-Clause
#include "base/array.h"
#include "view/annotate_section.h"
#include "view/heat.h"
#include "view/jumps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* By instruction, in the order of addresses. */

/* So wide a page has room for intervals too. */
#define WIDE_ASM 100
#define WIDE_BOTH 140

struct listing {
	const struct annotate_section *part;
	const struct annotation *annotation;
	bool *shown;	   /* which rows are */
	uint32_t *visible; /* for each row its place among those that are printed, folds included */
	size_t visible_count;
	struct jumps jumps;
	struct layout layout;
	struct layout_column columns[9];
	size_t column_count;
	bool interval, source;
	size_t indent; /* blanks that all source lines begin with */
	uint32_t line; /* of the row before, in annotation->lines */
};

static int choose_rows(struct listing *listing)
{
	const struct annotation *annotation = listing->annotation;
	const struct loops *loops = &annotation->loops;
	bool *marked = calloc(annotation->row_count + 1, sizeof(*marked));

	if (!marked)
		return -ENOMEM;
	for (size_t i = 0; i < annotation->row_count; i++)
		marked[i] = annotation->rows[i].ticks != 0;
	/* The whole way round the hot loop is worth a look: both of its ends. */
	if (loops->items && loops->hot != LOOP_NONE) {
		marked[loops->items[loops->hot].first] = true;
		marked[loops->items[loops->hot].last] = true;
	}
	listing->shown = annotate_choose(listing->part->style, marked, annotation->row_count);
	listing->visible = calloc(annotation->row_count + 1, sizeof(*listing->visible));
	free(marked);
	if (!listing->shown || !listing->visible)
		return -ENOMEM;
	for (size_t i = 0; i < annotation->row_count; i++) {
		/* A run that is folded is one row. */
		if (listing->shown[i] || !i || listing->shown[i - 1])
			listing->visible_count++;
		listing->visible[i] = (uint32_t)listing->visible_count - 1;
	}
	return 0;
}

/* Jumps whose both ends are printed. */
static int draw_jumps(struct listing *listing)
{
	const struct annotation *annotation = listing->annotation;
	struct jump *list = calloc(annotation->row_count + 1, sizeof(*list));
	size_t count = 0;
	int r;

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < annotation->row_count && annotation->steps; i++) {
		uint32_t to = annotation->steps[i].target;
		enum disasm_flow flow = annotation->steps[i].flow;

		if (to == GRAPH_NONE || !listing->shown[i] || !listing->shown[to] ||
		    (flow != FLOW_BRANCH && flow != FLOW_JUMP))
			continue;
		list[count++] = (struct jump){listing->visible[i], listing->visible[to]};
	}
	r = jumps_draw(list, count, listing->visible_count, listing->part->section->style->utf8,
		       &listing->jumps);
	free(list);
	return r;
}

static void plan_column(struct listing *listing, const char *title, bool right, size_t shrinks)
{
	listing->columns[listing->column_count++] =
		(struct layout_column){.title = title, .right = right, .shrinks = shrinks};
}

static void plan_columns(struct listing *listing)
{
	const struct annotate_section *part = listing->part;

	listing->source = part->style->pane == PANE_BOTH;
	listing->interval = annotate_has_interval(part, listing->source ? WIDE_BOTH : WIDE_ASM);
	if (part->ranks)
		plan_column(listing, " share", true, 0);
	if (listing->interval)
		plan_column(listing, "95 % interval", true, 0);
	plan_column(listing, "ticks", true, 0);
	plan_column(listing, "", false, 0);
	plan_column(listing, "address", true, 0);
	plan_column(listing, "instruction", false, 24);
	if (listing->source) {
		plan_column(listing, "line", true, 6);
		plan_column(listing, "source", false, 16);
	}
}

static const char *text_of(const struct annotation *annotation, uint32_t line)
{
	return source_file_line(&annotation->files[annotation->lines[line].file].source,
				annotation->lines[line].number);
}

/* The column is narrow: it has no room for blanks that tell nothing. */
static size_t common_indent(const struct annotation *annotation)
{
	size_t indent = SIZE_MAX;

	for (uint32_t i = 0; i < annotation->row_count; i++) {
		const char *text = text_of(annotation, annotation->rows[i].line);
		size_t blanks = text ? strspn(text, " ") : SIZE_MAX;

		if (blanks < indent && text[blanks])
			indent = blanks;
	}
	return indent;
}

/* The line at a row that begins a run of it, blank below. */
static int add_source(struct listing *listing, uint32_t index)
{
	const struct annotation *annotation = listing->annotation;
	const struct annotated_line *line = &annotation->lines[annotation->rows[index].line];
	const struct annotated_file *file = &annotation->files[line->file];
	bool again = listing->line == annotation->rows[index].line;
	const char *slash = strrchr(file->path, '/'), *text;
	int r;

	listing->line = annotation->rows[index].line;
	if (again || !line->number) {
		r = layout_add(&listing->layout, INK_NONE, "%s", "");
		return r ? r : layout_add(&listing->layout, INK_NONE, "%s", "");
	}
	if (!line->file)
		r = layout_add(&listing->layout, INK_FAINT, "%" PRIu32, line->number);
	else
		r = layout_add(&listing->layout, INK_FAINT, "%s:%" PRIu32,
			       slash && slash[1] ? slash + 1 : file->path, line->number);
	text = text_of(annotation, listing->line);
	if (text)
		text += strnlen(text, listing->indent);
	return r ? r : layout_add(&listing->layout, INK_NONE, "%s", text ? text : "");
}

static int add_instruction(struct listing *listing, uint32_t index)
{
	const struct annotated_row *row = &listing->annotation->rows[index];
	const struct loops *loops = &listing->annotation->loops;
	bool hot = loops->items && loops->hot != LOOP_NONE && loops->of_steps[index] == loops->hot;
	char arrows[JUMPS_TEXT];

	jumps_text(&listing->jumps, listing->visible[index], arrows);
	return layout_add(&listing->layout, hot ? INK_STRONG : INK_NONE, "%s%s%s%s%s", arrows,
			  row->instruction.text, row->callee ? " <" : "",
			  row->callee ? row->callee : "", row->callee ? ">" : "");
}

static int add_row(struct listing *listing, uint32_t index)
{
	const struct annotated_row *row = &listing->annotation->rows[index];
	bool utf8 = listing->part->section->style->utf8;
	int r = annotate_add_ticks(&listing->layout, listing->part, row->ticks, listing->interval);

	if (!r)
		r = layout_add(&listing->layout, INK_WARN, "%s", row->skid ? utf8 ? "↑" : "^" : "");
	if (!r)
		r = layout_add(&listing->layout, INK_FAINT, "%" PRIx64, row->instruction.address);
	if (!r)
		r = add_instruction(listing, index);
	return r || !listing->source ? r : add_source(listing, index);
}

/* COUNT rows without ticks, the first of which is INDEX, as one. */
static int add_fold(struct listing *listing, uint32_t index, uint32_t count)
{
	char arrows[JUMPS_TEXT];
	int r = annotate_add_ticks(&listing->layout, listing->part, 0, listing->interval);

	jumps_text(&listing->jumps, listing->visible[index], arrows);
	for (int i = 0; i < 2 && !r; i++)
		r = layout_add(&listing->layout, INK_NONE, "%s", "");
	if (!r)
		r = layout_add(&listing->layout, INK_FAINT, "%s%s %s without ticks", arrows,
			       listing->part->section->style->utf8 ? "⋮" : "...",
			       text_count(count).text);
	for (int i = 0; i < 2 && !r && listing->source; i++)
		r = layout_add(&listing->layout, INK_NONE, "%s", "");
	listing->line = ANNOTATE_NONE;
	return r;
}

static int add_rows(struct listing *listing)
{
	uint32_t count = (uint32_t)listing->annotation->row_count, end;
	int r = 0;

	listing->line = ANNOTATE_NONE;
	for (uint32_t i = 0; i < count && !r; i = end) {
		end = i + 1;
		if (listing->shown[i]) {
			r = add_row(listing, i);
			continue;
		}
		while (end < count && !listing->shown[end])
			end++;
		r = add_fold(listing, i, end - i);
	}
	return r;
}

static int print(struct listing *listing)
{
	const struct section *section = listing->part->section;
	int r = choose_rows(listing);

	if (!r)
		r = draw_jumps(listing);
	if (r)
		return r;
	plan_columns(listing);
	listing->indent = common_indent(listing->annotation);
	r = layout_init(&listing->layout, listing->columns, listing->column_count,
			section->style->utf8);
	if (!r)
		r = add_rows(listing);
	if (!r) {
		layout_fit(&listing->layout, section->style->width);
		r = layout_print(section->out, &listing->layout, section->style->color);
	}
	layout_done(&listing->layout);
	return r;
}

int annotate_rows_print(const struct annotate_section *part)
{
	struct listing listing = {.part = part, .annotation = part->annotation};
	int r = print(&listing);

	free(listing.shown);
	free(listing.visible);
	jumps_done(&listing.jumps);
	return r;
}
