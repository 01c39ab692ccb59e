// SPDX-License-Identifier: BSD-2-Clause
#include "view/annotate_section.h"

/* By source line, file by file, as text and on the page. */

#define WIDE_SOURCE 90

enum column {
	COLUMN_TICKS = 1,
	COLUMN_LINE,
	COLUMN_SOURCE,
	COLUMN_INLINED,
};

static const struct grid_column columns[] = {
	[COLUMN_TICKS] = {"samples", .type = GRID_TICKS},
	[COLUMN_LINE] = {"line", .type = GRID_NUMBER, .class = "l"},
	[COLUMN_SOURCE] = {"source", .type = GRID_CODE, .shrinks = 16, .class = "t"},
	[COLUMN_INLINED] = {"inlined", .type = GRID_FUNCTION, .shrinks = 12, .class = "u"},
};

struct part {
	const struct annotate_section *of;
	struct grid grid;
};

static int add_line(void *context, const struct annotated_file *file, uint32_t number,
		    const struct annotated_line *line)
{
	struct part *part = context;
	struct grid_cell *cells = part->grid.cells;

	cells[COLUMN_TICKS] = annotate_ticks(part->of, line ? line->ticks : 0);
	cells[COLUMN_LINE] = (struct grid_cell){.count = number, .ink = INK_FAINT};
	cells[COLUMN_SOURCE].text = source_file_line(&file->source, number);
	if (!number)
		cells[COLUMN_SOURCE] =
			(struct grid_cell){.text = "[no line known]", .ink = INK_FAINT};
	cells[COLUMN_INLINED] =
		(struct grid_cell){.text = line ? line->inlined : NULL, .ink = INK_FAINT};
	grid_row(&part->grid);
	return 0;
}

static int add_fold(void *context, size_t count, uint64_t ticks)
{
	struct part *part = context;
	struct grid *grid = &part->grid;

	grid->row.class = "fold";
	grid->cells[COLUMN_TICKS] = (struct grid_cell){.count = ticks, .blank = !ticks};
	grid->cells[COLUMN_SOURCE].ink = INK_FAINT;
	grid->cells[COLUMN_SOURCE].text =
		grid_format(grid, "%s %s with%s samples", grid->style->utf8 ? "⋮" : "...",
			    text_many(count, "line").text, ticks ? " fewer" : "out");
	grid_row(grid);
	return 0;
}

static int add_title(void *context, const struct annotated_file *file)
{
	struct part *part = context;
	struct grid_cell *cells = part->grid.cells;

	part->grid.row.class = "file";
	cells[COLUMN_TICKS].blank = true;
	cells[COLUMN_SOURCE].text = *file->path ? file->path : "[no source known]";
	cells[COLUMN_SOURCE].ink = INK_STRONG;
	grid_row(&part->grid);
	return 0;
}

static const struct annotate_source_ops source_ops = {
	.file = add_title,
	.line = add_line,
	.fold = add_fold,
};

int annotate_source_print(const struct annotate_section *part)
{
	struct part shown = {.of = part, .grid = annotate_grid(part, columns, WIDE_SOURCE)};
	int ret, failed;

	grid_add_range(&shown.grid, COLUMN_TICKS, COLUMN_SOURCE);
	if (annotate_has_inlined(part->annotation, /* shown= */ NULL))
		grid_add_column(&shown.grid, COLUMN_INLINED);
	grid_begin(&shown.grid);
	ret = annotate_source_walk(part, &source_ops, &shown);
	failed = grid_end(&shown.grid);
	return ret ? ret : failed;
}
