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

static void plan_columns(struct listing *listing)
{
	const struct annotate_section *part = listing->part;

	listing->inlined = annotate_has_inlined(listing->annotation, listing->rows.shown);
	listing->source = part->style->pane == PANE_BOTH;
	listing->interval = annotate_has_interval(part, listing->source ? WIDE_BOTH : WIDE_ASM);
	if (part->ranks)
		plan_column(listing, " share", true, 0);
	if (listing->interval)
		plan_column(listing, "95 % interval", true, 0);
	plan_column(listing, "samples", true, 0);
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
	int ret;

	listing->line = annotation->rows[index].line;
	if (again || !line->number) {
		ret = layout_add(&listing->layout, INK_NONE, "%s", "");
		return ret ? ret : layout_add(&listing->layout, INK_NONE, "%s", "");
	}
	if (!line->file)
		ret = layout_add(&listing->layout, INK_FAINT, "%" PRIu32, line->number);
	else
		ret = layout_add(&listing->layout, INK_FAINT, "%s:%" PRIu32,
				 slash && slash[1] ? slash + 1 : file->path, line->number);
	text = annotate_text(annotation, listing->line);
	if (text)
		text += strnlen(text, listing->rows.indent);
	return ret ? ret : layout_add(&listing->layout, INK_NONE, "%s", text ? text : "");
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
	int ret =
		annotate_add_ticks(&listing->layout, listing->part, row->ticks, listing->interval);

	if (!ret)
		ret = layout_add(&listing->layout, INK_WARN, "%s",
				 row->skid ? utf8 ? "↑" : "^" : "");
	if (!ret)
		ret = layout_add(&listing->layout, INK_FAINT, "%" PRIx64, row->instruction.address);
	if (!ret)
		ret = add_instruction(listing, index);
	if (!ret && listing->inlined)
		ret = layout_add_function(&listing->layout, INK_FAINT, "",
					  row->inlined ? row->inlined : "", "");
	return ret || !listing->source ? ret : add_source(listing, index);
}

/* COUNT rows without ticks, the first of which is INDEX, as one. */
static int add_fold(struct listing *listing, uint32_t index, uint32_t count)
{
	char arrows[JUMPS_TEXT];
	int ret = annotate_add_ticks(&listing->layout, listing->part, 0, listing->interval);

	jumps_text(&listing->rows.jumps, listing->rows.visible[index], arrows);
	for (int i = 0; i < 2 && !ret; i++)
		ret = layout_add(&listing->layout, INK_NONE, "%s", "");
	if (!ret)
		ret = layout_add(&listing->layout, INK_FAINT, "%s%s %s without samples", arrows,
				 listing->part->section->style->utf8 ? "⋮" : "...",
				 text_count(count).text);
	for (int i = listing->source ? 0 : 2; i < 2 + listing->inlined && !ret; i++)
		ret = layout_add(&listing->layout, INK_NONE, "%s", "");
	listing->line = ANNOTATE_NONE;
	return ret;
}

static int add_rows(struct listing *listing)
{
	uint32_t count = (uint32_t)listing->annotation->row_count, end;
	int ret = 0;

	listing->line = ANNOTATE_NONE;
	for (uint32_t i = 0; i < count && !ret; i = end) {
		end = i + 1;
		if (listing->rows.shown[i]) {
			ret = add_row(listing, i);
			continue;
		}
		while (end < count && !listing->rows.shown[end])
			end++;
		ret = add_fold(listing, i, end - i);
	}
	return ret;
}

static int print(struct listing *listing)
{
	const struct section *section = listing->part->section;
	int ret;

	plan_columns(listing);
	ret = layout_init(&listing->layout, listing->columns, listing->column_count,
			  section->style->utf8);
	if (!ret)
		ret = add_rows(listing);
	if (!ret) {
		layout_fit(&listing->layout, section->style->width);
		ret = layout_print(section->out, &listing->layout, section->style->color);
	}
	layout_done(&listing->layout);
	return ret;
}

int annotate_rows_print(const struct annotate_section *part)
{
	struct listing listing = {.part = part, .annotation = part->annotation};
	int ret = annotate_listing_init(part, &listing.rows);

	if (!ret)
		ret = print(&listing);
	annotate_listing_done(&listing.rows);
	return ret;
}
