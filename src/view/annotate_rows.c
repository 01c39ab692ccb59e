// SPDX-License-Identifier: BSD-2-Clause
#include "view/annotate_section.h"

#include <inttypes.h>
#include <string.h>

/* By instruction, in the order of addresses. */

/* So wide a page has room for intervals too. */
#define WIDE_ASM 100
#define WIDE_BOTH 140

struct listing {
	const struct annotate_section *part;
	const struct annotation *annotation;
	struct annotate_listing rows;
	struct layout layout;
	struct layout_column columns[10];
	size_t column_count;
	bool interval, source, inlined;
	uint32_t line; /* of the row before, in annotation->lines */
};

static void plan_column(struct listing *listing, const char *title, bool right, size_t shrinks)
{
	listing->columns[listing->column_count++] =
		(struct layout_column){.title = title, .right = right, .shrinks = shrinks};
}

static bool has_inlined(const struct listing *listing)
{
	for (size_t i = 0; i < listing->annotation->row_count; i++)
		if (listing->rows.shown[i] && listing->annotation->rows[i].inlined)
			return true;
	return false;
}

static void plan_columns(struct listing *listing)
{
	const struct annotate_section *part = listing->part;

	listing->inlined = has_inlined(listing);
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
	if (listing->inlined)
		plan_column(listing, "inlined", false, 12);
	if (listing->source) {
		plan_column(listing, "line", true, 6);
		plan_column(listing, "source", false, 16);
	}
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
	text = annotate_text(annotation, listing->line);
	if (text)
		text += strnlen(text, listing->rows.indent);
	return r ? r : layout_add(&listing->layout, INK_NONE, "%s", text ? text : "");
}

static int add_instruction(struct listing *listing, uint32_t index)
{
	const struct annotated_row *row = &listing->annotation->rows[index];
	const struct loops *loops = &listing->annotation->loops;
	bool hot = loops->items && loops->hot != LOOP_NONE && loops->of_steps[index] == loops->hot;
	char arrows[JUMPS_TEXT];

	jumps_text(&listing->rows.jumps, listing->rows.visible[index], arrows);
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
	if (!r && listing->inlined)
		r = layout_add(&listing->layout, INK_FAINT, "%s", row->inlined ? row->inlined : "");
	return r || !listing->source ? r : add_source(listing, index);
}

/* COUNT rows without ticks, the first of which is INDEX, as one. */
static int add_fold(struct listing *listing, uint32_t index, uint32_t count)
{
	char arrows[JUMPS_TEXT];
	int r = annotate_add_ticks(&listing->layout, listing->part, 0, listing->interval);

	jumps_text(&listing->rows.jumps, listing->rows.visible[index], arrows);
	for (int i = 0; i < 2 && !r; i++)
		r = layout_add(&listing->layout, INK_NONE, "%s", "");
	if (!r)
		r = layout_add(&listing->layout, INK_FAINT, "%s%s %s without ticks", arrows,
			       listing->part->section->style->utf8 ? "⋮" : "...",
			       text_count(count).text);
	for (int i = listing->source ? 0 : 2; i < 2 + listing->inlined && !r; i++)
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
		if (listing->rows.shown[i]) {
			r = add_row(listing, i);
			continue;
		}
		while (end < count && !listing->rows.shown[end])
			end++;
		r = add_fold(listing, i, end - i);
	}
	return r;
}

static int print(struct listing *listing)
{
	const struct section *section = listing->part->section;
	int r;

	plan_columns(listing);
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
	int r = annotate_listing_init(part, &listing.rows);

	if (!r)
		r = print(&listing);
	annotate_listing_done(&listing.rows);
	return r;
}
