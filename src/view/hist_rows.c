// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "view/bar.h"
#include "view/grid.h"
#include "view/heat.h"
#include "view/hist_section.h"

#include <errno.h>
#include <stdlib.h>

/* From low to high addresses, object by object; in text the bars stand between address and name. */

#define BAR_USUAL 40
#define BAR_LEAST 8
/* What the other columns take at least. */
#define OTHERS 74

enum column {
	COLUMN_TICKS = 1,
	COLUMN_SUM,
	COLUMN_START,
	COLUMN_END,
	COLUMN_NAME,
	COLUMN_INTO,
	COLUMN_BEGINS,
	COLUMN_FOLDED,
	COLUMN_IS_FOLD,
	COLUMN_SHARE, /* text's, which has the sum of shares between them */
	COLUMN_SUM_SHARE,
	COLUMN_COUNT,
	COLUMN_BAR,
};

static const struct grid_column columns[] = {
	[COLUMN_SHARE] = {"share", " share", GRID_SHARE},
	[COLUMN_SUM_SHARE] = {"sum", .type = GRID_SHARE},
	[COLUMN_COUNT] = {"samples", .type = GRID_COUNT},
	[COLUMN_TICKS] = {"samples", .type = GRID_TICKS},
	[COLUMN_SUM] = {"sum", .type = GRID_COUNT},
	[COLUMN_START] = {"start", "address", GRID_OFFSET},
	[COLUMN_BAR] = {"bar", ""},
	[COLUMN_END] = {"end", .type = GRID_OFFSET},
	[COLUMN_NAME] = {"name", "function", GRID_FUNCTION, .shrinks = 16},
	[COLUMN_INTO] = {"into", .type = GRID_COUNT},
	[COLUMN_BEGINS] = {"begins", .type = GRID_COUNT},
	[COLUMN_FOLDED] = {"folded", .type = GRID_COUNT},
	[COLUMN_IS_FOLD] = {"fold", .type = GRID_BOOL},
};

static const unsigned char shares[] = {COLUMN_SHARE, COLUMN_SUM_SHARE, 0};
static const unsigned char in_text[] = {COLUMN_COUNT, COLUMN_START, COLUMN_BAR, COLUMN_NAME, 0};
static const unsigned char in_markdown[] = {COLUMN_TICKS, COLUMN_SUM, COLUMN_START, COLUMN_NAME, 0};
static void fill_numbers(struct grid_cell *cells, uint64_t ticks, uint64_t sum, const char *ink)
{
	cells[COLUMN_SHARE] = (struct grid_cell){.count = ticks, .ink = ink};
	cells[COLUMN_SUM_SHARE] = (struct grid_cell){.count = sum, .ink = INK_FAINT};
	cells[COLUMN_COUNT] = (struct grid_cell){.count = ticks, .blank = !ticks, .ink = ink};
	cells[COLUMN_TICKS].count = ticks;
	cells[COLUMN_SUM].count = sum;
}

/* In text an object is a row above those of its code. */
static void add_object(struct grid *grid, const struct hist_object *object)
{
	char *text = hist_object_text(object, /* all= */ false);
	struct grid_cell *cells = grid->cells;

	if (!text)
		grid->ret = -ENOMEM;
	fill_numbers(cells, object->ticks, 0, INK_STRONG);
	cells[COLUMN_START].blank = true;
	cells[COLUMN_NAME] =
		(struct grid_cell){.text = grid_format(grid, "%s: %s", object->object, text),
				   .ink = section_ink(object->class),
				   .plain = true};
	grid_row(grid);
	free(text);
}

static void fill_bar(const struct hist_section *part, const struct hist_row *row,
		     struct grid_cell *cell, char bar[BAR_TEXT])
{
	const struct hist *hist = part->hist;
	unsigned width = part->section->style->width;
	double scale = interval_of_share(hist->peak, hist->total).high;
	size_t wide = BAR_USUAL;

	if (row->is_fold)
		return;
	if (width && width < OTHERS + BAR_USUAL)
		wide = width > OTHERS + BAR_LEAST ? width - OTHERS : BAR_LEAST;
	bar_text(part->section->marks, wide, scale, interval_of_share(row->ticks, hist->total),
		 bar);
	cell->text = bar;
}

static void add_row(const struct hist_section *part, struct grid *grid, const struct hist_row *row)
{
	const struct report_style *page = part->section->style;
	double heat = row->is_fold ? 0 : heat_of(row->ticks, part->hist->peak);
	const char *ink = heat_ink(heat, page->true_color);
	char *name = hist_row_name(row), bar[BAR_TEXT];
	struct grid_cell *cells = grid->cells;

	if (!name)
		grid->ret = -ENOMEM;
	fill_numbers(cells, row->ticks, row->sum, ink);
	cells[COLUMN_START] = (struct grid_cell){.count = row->start, .ink = INK_FAINT};
	cells[COLUMN_END].count = row->end;
	cells[COLUMN_NAME].text = page->form == REPORT_JSON ? row->name : name;
	cells[COLUMN_NAME].plain = row->is_fold;
	if (row->is_fold && page->form == REPORT_TEXT) {
		cells[COLUMN_NAME].ink = INK_FAINT;
		cells[COLUMN_NAME].before = page->utf8 ? "⋮ " : "... ";
	}
	cells[COLUMN_BAR].ink = ink;
	if (page->form == REPORT_TEXT)
		fill_bar(part, row, &cells[COLUMN_BAR], bar);
	cells[COLUMN_INTO].count = row->into;
	cells[COLUMN_BEGINS].count = row->begins;
	cells[COLUMN_FOLDED].count = row->folded;
	cells[COLUMN_IS_FOLD].count = row->is_fold;
	grid_row(grid);
	free(name);
}

static int print_table(const struct hist_section *part, const struct hist_object *objects,
		       size_t count, struct json *json)
{
	enum report_form form = part->section->style->form;
	struct grid grid = {
		.out = part->section->out,
		.style = part->section->style,
		.columns = columns,
		.total = part->hist->total,
		.key = "rows",
		.json = json,
	};

	if (form == REPORT_TEXT && part->section->ranks)
		grid_add_columns(&grid, shares);
	if (form == REPORT_JSON)
		grid_add_range(&grid, COLUMN_TICKS, COLUMN_IS_FOLD);
	else
		grid_add_columns(&grid, form == REPORT_MARKDOWN ? in_markdown : in_text);
	grid_begin(&grid);
	for (size_t i = 0; i < count; i++) {
		if (form == REPORT_TEXT)
			add_object(&grid, &objects[i]);
		for (size_t k = 0; k < objects[i].row_count; k++)
			if (form != REPORT_MARKDOWN || objects[i].rows[k].ticks)
				add_row(part, &grid, &objects[i].rows[k]);
	}
	return grid_end(&grid);
}

int hist_rows_print(const struct hist_section *part)
{
	int ret = 0;

	if (part->hist->object_count) {
		ret = print_table(part, part->hist->objects, part->hist->object_count, NULL);
		(void)fputc('\n', part->section->out);
	}
	return ret;
}

int hist_object_rows(const struct hist_section *part, const struct hist_object *object,
		     struct json *json)
{
	return print_table(part, object, 1, json);
}
