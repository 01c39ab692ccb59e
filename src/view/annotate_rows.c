// SPDX-License-Identifier: BSD-2-Clause
#include "view/annotate_section.h"

#include "base/path.h"

#include <inttypes.h>
#include <string.h>

/* By instruction, in the order of addresses, as text and on the page. */

/* So wide a page has room for intervals too. */
#define WIDE_ASM 100
#define WIDE_BOTH 140

enum column {
	COLUMN_TICKS = 1,
	COLUMN_SKID,
	COLUMN_ADDRESS,
	COLUMN_INSTRUCTION,
	COLUMN_INLINED,
	COLUMN_LINE,
	COLUMN_SOURCE,
};

static const struct grid_column columns[] = {
	[COLUMN_TICKS] = {"samples", .type = GRID_TICKS},
	[COLUMN_SKID] = {"skid", "", .class = "s"},
	[COLUMN_ADDRESS] = {"address", .type = GRID_OFFSET, .class = "a"},
	[COLUMN_INSTRUCTION] = {"instruction", .type = GRID_CODE, .shrinks = 24, .class = "i"},
	[COLUMN_INLINED] = {"inlined", .type = GRID_FUNCTION, .shrinks = 12, .class = "u"},
	[COLUMN_LINE] = {"line", .right = true, .shrinks = 6, .class = "l"},
	[COLUMN_SOURCE] = {"source", .type = GRID_CODE, .shrinks = 16, .class = "t"},
};

struct listing {
	const struct annotate_section *part;
	const struct annotation *annotation;
	struct annotate_listing rows;
	struct grid grid;
	bool page;
	uint32_t line; /* of the row before, in annotation->lines */
};

static void add_columns(struct listing *listing, bool source)
{
	bool inlined = annotate_has_inlined(listing->annotation, listing->rows.shown);

	grid_add_column(&listing->grid, COLUMN_TICKS);
	if (!listing->page || annotate_has_skid(listing->annotation))
		grid_add_column(&listing->grid, COLUMN_SKID);
	grid_add_range(&listing->grid, COLUMN_ADDRESS, COLUMN_INSTRUCTION);
	if (inlined)
		grid_add_column(&listing->grid, COLUMN_INLINED);
	if (source)
		grid_add_range(&listing->grid, COLUMN_LINE, COLUMN_SOURCE);
}

/* The line at a row that begins a run of it, blank below. */
static void fill_source(struct listing *listing, uint32_t index)
{
	const struct annotation *annotation = listing->annotation;
	uint32_t number = annotation->rows[index].line;
	const struct annotated_line *line = &annotation->lines[number];
	const char *path = path_base(annotation->files[line->file].path);
	const char *text = annotate_text(annotation, number);
	struct grid *grid = &listing->grid;
	bool again = listing->line == number;

	listing->line = number;
	if (again || !line->number)
		return;
	grid->cells[COLUMN_LINE].ink = INK_FAINT;
	grid->cells[COLUMN_LINE].text =
		line->file ? grid_format(grid, "%.280s:%" PRIu32, path, line->number)
			   : grid_format(grid, "%" PRIu32, line->number);
	if (text)
		grid->cells[COLUMN_SOURCE].text = text + strnlen(text, listing->rows.indent);
}

static void add_row(struct listing *listing, uint32_t index)
{
	const struct annotated_row *row = &listing->annotation->rows[index];
	const struct loops *loops = &listing->annotation->loops;
	bool hot = loops->items && loops->hot != LOOP_NONE && loops->of_steps[index] == loops->hot;
	struct grid *grid = &listing->grid;
	struct grid_cell *cells = grid->cells;
	const char *callee = row->callee;
	char arrows[JUMPS_TEXT];

	jumps_text(&listing->rows.jumps, listing->rows.visible[index], arrows);
	if (callee && !listing->page)
		callee = grid_format(grid, " <%s>", callee);
	grid->row.class = hot ? "hot" : NULL;
	cells[COLUMN_TICKS] = annotate_ticks(listing->part, row->ticks);
	if (row->skid)
		cells[COLUMN_SKID] =
			(struct grid_cell){.text = grid->style->utf8 ? "↑" : "^", .ink = INK_WARN};
	cells[COLUMN_ADDRESS] =
		(struct grid_cell){.count = row->instruction.address, .ink = INK_FAINT};
	cells[COLUMN_INSTRUCTION] = (struct grid_cell){
		.before = arrows,
		.text = row->instruction.text,
		.behind = callee,
		.ink = hot ? INK_STRONG : INK_NONE,
	};
	cells[COLUMN_INLINED] = (struct grid_cell){.text = row->inlined, .ink = INK_FAINT};
	fill_source(listing, index);
	grid_row(grid);
}

/* The rows FIRST to END, which are not shown, as one. */
static void add_fold(struct listing *listing, uint32_t first, uint32_t end)
{
	struct grid *grid = &listing->grid;
	char arrows[JUMPS_TEXT];
	uint64_t ticks = 0;

	for (uint32_t i = first; i < end; i++)
		ticks += listing->annotation->rows[i].ticks;
	jumps_text(&listing->rows.jumps, listing->rows.visible[first], arrows);
	grid->row.class = "fold";
	grid->cells[COLUMN_TICKS] = (struct grid_cell){.count = ticks, .blank = !ticks};
	grid->cells[COLUMN_ADDRESS].blank = true;
	grid->cells[COLUMN_INSTRUCTION] = (struct grid_cell){
		.before = arrows,
		.text = grid_format(grid, "%s %s with%s samples", grid->style->utf8 ? "⋮" : "...",
				    text_count(end - first).text, ticks ? " fewer" : "out"),
		.ink = INK_FAINT,
	};
	grid_row(grid);
	listing->line = ANNOTATE_NONE;
}

static void add_rows(struct listing *listing)
{
	uint32_t count = (uint32_t)listing->annotation->row_count, end;

	listing->line = ANNOTATE_NONE;
	for (uint32_t i = 0; i < count; i = end) {
		end = i + 1;
		if (listing->rows.shown[i]) {
			add_row(listing, i);
			continue;
		}
		while (end < count && !listing->rows.shown[end])
			end++;
		add_fold(listing, i, end);
	}
}

int annotate_rows_print(const struct annotate_section *part)
{
	bool source = part->style->pane == PANE_BOTH && annotate_has_source(part->annotation);
	struct listing listing = {
		.part = part,
		.annotation = part->annotation,
		.grid = annotate_grid(part, columns, source ? WIDE_BOTH : WIDE_ASM),
		.page = part->section->style->form == REPORT_HTML,
	};
	int ret = annotate_listing_init(part, &listing.rows);

	if (!ret) {
		add_columns(&listing, source);
		grid_begin(&listing.grid);
		add_rows(&listing);
		ret = grid_end(&listing.grid);
	}
	annotate_listing_done(&listing.rows);
	return ret;
}
