// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/top_list.h"

#include "view/bar.h"
#include "view/grid.h"
#include "view/section.h"

#include <string.h>

/* The rows of top, through the table that all views print. */

#define BAR_MAX 16

/* Columns of a screen that has room for what is more than a number and a name. */
#define ROOM_SELF 36
#define ROOM_SPARK 56
#define ROOM_OBJECT 72
#define ROOM_RATE 88
#define ROOM_BAR 120

enum column {
	COLUMN_LAST = 1,
	COLUMN_RATE,
	COLUMN_SPARK,
	COLUMN_SELF,
	COLUMN_TOTAL,
	COLUMN_BAR,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_NAME,
	COLUMN_OBJECT,
	COLUMNS,
};

static const struct grid_column usual[COLUMNS] = {
	[COLUMN_LAST] = {"last", "  last", .type = GRID_COUNT},
	[COLUMN_RATE] = {"rate", "   /s", .type = GRID_COUNT},
	[COLUMN_SPARK] = {"lately"},
	[COLUMN_SELF] = {"samples", .type = GRID_TICKS},
	[COLUMN_TOTAL] = {"total", .type = GRID_SHARE},
	[COLUMN_BAR] = {"bar", ""},
	[COLUMN_PID] = {"pid", .type = GRID_NUMBER},
	[COLUMN_TID] = {"tid", .type = GRID_NUMBER},
	[COLUMN_NAME] = {"name", .shrinks = 12},
	[COLUMN_OBJECT] = {"object", .shrinks = 8},
};

struct printing {
	const struct top_list *list;
	struct grid *grid;
	double seconds;
	size_t bar;   /* columns of a whole bar; 0: none, */
	double scale; /* and the share that it stands for */
};

static void add_lately(struct grid *grid, enum top_view view, unsigned width)
{
	grid_add_column(grid, COLUMN_LAST);
	if (width >= ROOM_RATE && view != TOP_WAITING)
		grid_add_column(grid, COLUMN_RATE);
	if (width >= ROOM_SPARK)
		grid_add_column(grid, COLUMN_SPARK);
}

static void plan(const struct printing *printing, unsigned width, struct grid_column *columns)
{
	const struct top_list *list = printing->list;
	struct grid *grid = printing->grid;
	bool is_code = list->view == TOP_FUNCTIONS || list->view == TOP_TREE;

	memcpy(columns, usual, sizeof(usual));
	columns[COLUMN_NAME].title = top_view_name(list->view);
	if (is_code)
		columns[COLUMN_NAME].type = GRID_FUNCTION;
	if (list->view == TOP_WAITING) {
		columns[COLUMN_LAST].type = GRID_TIME;
		columns[COLUMN_SELF] = (struct grid_column){"time", .type = GRID_TIME};
		columns[COLUMN_TOTAL].title = "share";
	} else if (is_code) {
		columns[COLUMN_SELF].title = "self";
	}
	if (!list->is_still)
		add_lately(grid, list->view, width);
	if (width >= ROOM_SELF && !(list->view == TOP_TREE && list->reverse))
		grid_add_column(grid, COLUMN_SELF);
	if (list->view == TOP_TREE || list->view == TOP_WAITING || (is_code && width >= ROOM_RATE))
		grid_add_column(grid, COLUMN_TOTAL);
	if (printing->bar)
		grid_add_column(grid, COLUMN_BAR);
	if (list->view == TOP_THREADS || list->view == TOP_PROCESSES)
		grid_add_column(grid, COLUMN_PID);
	if (list->view == TOP_THREADS)
		grid_add_column(grid, COLUMN_TID);
	grid_add_column(grid, COLUMN_NAME);
	if (is_code && width >= ROOM_OBJECT)
		grid_add_column(grid, COLUMN_OBJECT);
}

static void draw_spark(const struct printing *printing, const struct top_item *item,
		       char text[BAR_TEXT])
{
	uint64_t grown[HISTORY_MOMENTS - 1];
	size_t count = sizeof(grown) / sizeof(*grown);

	for (unsigned i = 0; i < count; i++)
		grown[count - 1 - i] = history_grown(&printing->list->history, item->history, i);
	bar_spark(printing->grid->style->utf8, grown, count, text);
}

/* What is deeper than a quarter of the screen says how deep. */
static const char *drawing(struct grid *grid, const struct top_item *item)
{
	unsigned most = grid->style->width / 4;

	if (item->depth <= most)
		return grid_format(grid, "%*s%c ", (int)item->depth, "", item->mark);
	return grid_format(grid, "%*s%c (+%u) ", (int)most, "", item->mark, item->depth - most);
}

static void add_row(const struct printing *printing, const struct top_item *item)
{
	struct grid *grid = printing->grid;
	struct grid_cell *cells = grid->cells;
	const char *ink = section_ink(item->class);
	char spark[BAR_TEXT], bar[BAR_TEXT] = "";
	double rate = printing->seconds > 0 ? (double)item->last / printing->seconds : 0;

	draw_spark(printing, item, spark);
	if (printing->bar)
		bar_text(text_marks(grid->style->utf8), printing->bar, printing->scale,
			 interval_of_share(item->self, grid->total), bar);
	cells[COLUMN_LAST] = (struct grid_cell){.count = item->last, .blank = !item->last};
	cells[COLUMN_RATE] =
		(struct grid_cell){.count = (uint64_t)(rate + 0.5), .blank = !item->last};
	cells[COLUMN_SPARK].text = spark;
	cells[COLUMN_SELF].count = item->self;
	cells[COLUMN_TOTAL].count = item->total;
	cells[COLUMN_BAR] = (struct grid_cell){.text = bar, .ink = ink};
	cells[COLUMN_PID].count = item->pid;
	cells[COLUMN_TID].count = item->tid;
	cells[COLUMN_NAME].text = item->name;
	if (printing->list->view == TOP_TREE) {
		cells[COLUMN_NAME].before = drawing(grid, item);
		cells[COLUMN_NAME].ink = ink;
	}
	cells[COLUMN_OBJECT] = (struct grid_cell){.text = item->object, .ink = ink};
	grid_row(grid);
}

int top_list_print(FILE *out, const struct top_list *list, size_t first, size_t count,
		   double seconds, const struct report_style *style)
{
	struct grid_column columns[COLUMNS];
	struct grid grid = {
		.out = out,
		.style = style,
		.columns = columns,
		.total = list->whole,
		.no_interval = true,
	};
	struct printing printing = {list, &grid, seconds};
	uint64_t most = 0;

	if (style->width >= ROOM_BAR && list->view != TOP_WAITING && list->whole)
		printing.bar = BAR_MAX;
	for (size_t i = 0; i < list->count; i++)
		most = most > list->items[i].self ? most : list->items[i].self;
	printing.scale = interval_of_share(most, list->whole).high;
	plan(&printing, style->width, columns);
	grid_begin(&grid);
	for (size_t i = first; i < first + count && i < list->count; i++)
		add_row(&printing, &list->items[i]);
	return grid_end(&grid);
}
