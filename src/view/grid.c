// SPDX-License-Identifier: BSD-2-Clause
#include "view/grid_writer.h"

#include "analysis/interval.h"
#include "view/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* What a column of samples is made of, for eyes. */
static const struct layout_column share_title = {" share", .right = true};
static const struct layout_column interval_title = {"95 % interval", .right = true};

bool grid_ranks(const struct grid *grid)
{
	return grid->total >= EVIDENCE_FLOOR;
}

const char *grid_title(const struct grid_column *column)
{
	return column->title ? column->title : column->key;
}

bool grid_is_text(const struct grid_column *column)
{
	return column->type <= GRID_CODE;
}

double grid_share(const struct grid *grid, uint64_t ticks)
{
	return grid->total ? (double)ticks / (double)grid->total : 0;
}

void grid_add_column(struct grid *grid, unsigned column)
{
	grid->order[grid->count++] = (unsigned char)column;
}

void grid_add_range(struct grid *grid, unsigned first, unsigned last)
{
	while (first <= last)
		grid_add_column(grid, first++);
}

void grid_add_columns(struct grid *grid, const unsigned char *order)
{
	while (*order)
		grid_add_column(grid, *order++);
}

const char *grid_format(struct grid *grid, const char *format, ...)
{
	char *text = grid->scratch + grid->scratch_used;
	size_t room = sizeof(grid->scratch) - grid->scratch_used;
	va_list args;
	int size;

	va_start(args, format);
	size = vsnprintf(text, room, format, args);
	va_end(args);
	grid->scratch_used += size < 0 ? 0 : (size_t)size + 1 < room ? (size_t)size + 1 : room - 1;
	return size < 0 ? "" : text;
}

/* ---- text ---- */

static void begin_text(struct grid *grid)
{
	size_t count = 0;

	for (size_t i = 0; i < grid->count; i++) {
		const struct grid_column *column = &grid->columns[grid->order[i]];

		if (column->type == GRID_TICKS && grid_ranks(grid)) {
			grid->titles[count++] = share_title;
			if (!grid->no_interval)
				grid->titles[count++] = interval_title;
		}
		grid->titles[count++] = (struct layout_column){
			.title = grid_title(column),
			.right = column->right || !grid_is_text(column),
			.shrinks = column->shrinks,
		};
	}
	grid->ret = layout_init(&grid->layout, grid->titles, count, grid->style->utf8);
}

/* Text of a number as eyes read it. */
const char *grid_number(struct grid *grid, enum grid_type type, uint64_t count)
{
	switch (type) {
	case GRID_NUMBER:
		return count ? grid_format(grid, "%" PRIu64, count) : "";
	case GRID_ADDRESS:
		return count ? grid_format(grid, "0x%" PRIx64, count) : "";
	case GRID_OFFSET:
		return grid_format(grid, "%" PRIx64, count);
	case GRID_TIME:
		return grid_format(grid, "%s", text_time(count).text);
	case GRID_SHARE:
		return count ? grid_format(grid, "%s", text_share(grid_share(grid, count)).text)
			     : "";
	default:
		return grid_format(grid, "%s", text_count(count).text);
	}
}

static const char *interval_text(struct grid *grid, uint64_t ticks)
{
	struct interval range = interval_of_share(ticks, grid->total);

	return grid_format(grid, "%.1f %s %4.1f %%", 100 * range.low,
			   text_marks(grid->style->utf8)->to, 100 * range.high);
}

static void add_text(struct grid *grid, const char *ink, const char *text)
{
	if (!grid->ret)
		grid->ret = layout_add(&grid->layout, ink, "%s", text);
}

static void add_ticks(struct grid *grid, const struct grid_cell *cell)
{
	if (grid_ranks(grid))
		add_text(grid, cell->ink ? cell->ink : INK_STRONG,
			 cell->blank ? "" : text_share(grid_share(grid, cell->count)).text);
	if (grid_ranks(grid) && !grid->no_interval)
		add_text(grid, INK_FAINT, cell->blank ? "" : interval_text(grid, cell->count));
	add_text(grid, grid_or_none(cell->ink), cell->blank ? "" : text_count(cell->count).text);
}

static void add_cell(struct grid *grid, const struct grid_column *column,
		     const struct grid_cell *cell)
{
	const char *before = grid_or_none(cell->before), *behind = grid_or_none(cell->behind);
	const char *ink = grid_or_none(cell->ink), *text = grid_or_none(cell->text);

	if (column->type == GRID_TICKS) {
		add_ticks(grid, cell);
		return;
	}
	if (!grid_is_text(column))
		text = cell->blank ? "" : grid_number(grid, column->type, cell->count);
	if (grid->ret)
		return;
	grid->ret = column->type == GRID_FUNCTION && !cell->plain
			    ? layout_add_function(&grid->layout, ink, before, text, behind)
			    : layout_add(&grid->layout, ink, "%s%s%s", before, text, behind);
}

static void end_text(struct grid *grid)
{
	if (!grid->ret) {
		layout_fit(&grid->layout, grid->style->width);
		grid->ret = layout_print(grid->out, &grid->layout, grid->style->color);
	}
	layout_done(&grid->layout);
}

static const struct grid_writer grid_text = {
	.begin = begin_text,
	.cell = add_cell,
	.end = end_text,
};

/* ---- all ---- */

static const struct grid_writer *writer_of(const struct grid *grid)
{
	static const struct grid_writer *const writers[] = {
		[REPORT_TEXT] = &grid_text, [REPORT_JSON] = &grid_json,
		[REPORT_CSV] = &grid_csv,   [REPORT_MARKDOWN] = &grid_markdown,
		[REPORT_HTML] = &grid_html,
	};

	return writers[grid->style->form];
}

void grid_begin(struct grid *grid)
{
	writer_of(grid)->begin(grid);
}

void grid_row(struct grid *grid)
{
	const struct grid_writer *writer = writer_of(grid);

	if (writer->begin_row)
		writer->begin_row(grid);
	for (size_t i = 0; i < grid->count; i++)
		writer->cell(grid, &grid->columns[grid->order[i]], &grid->cells[grid->order[i]]);
	if (writer->end_row)
		writer->end_row(grid);
	memset(grid->cells, 0, sizeof(grid->cells));
	grid->row = (struct grid_mark){0};
	grid->row_count++;
	grid->scratch_used = 0;
}

int grid_end(struct grid *grid)
{
	const struct grid_writer *writer = writer_of(grid);

	if (writer->end)
		writer->end(grid);
	return grid->ret;
}
