// SPDX-License-Identifier: BSD-2-Clause
#include "view/grid_writer.h"

#include "view/html_section.h"

#include <inttypes.h>
#include <string.h>

/* A grid as a table of the page.  The element "table" around it is the caller's. */

static const char *class_of(const struct grid_column *column)
{
	return column->class ? column->class : "n";
}

/* The first column is of the samples that a row is sorted, drawn and heated by, and has their
 * intervals; there is no room for others'. */
static bool leads(const struct grid *grid, const struct grid_column *column)
{
	return column == &grid->columns[grid->order[0]];
}

static void begin(struct grid *grid)
{
	FILE *out = grid->out;

	(void)fputs("<thead><tr>", out);
	for (size_t i = 0; i < grid->count; i++) {
		const struct grid_column *column = &grid->columns[grid->order[i]];

		if (column->type == GRID_TICKS && grid_ranks(grid)) {
			(void)fputs("<th scope=col class=n>share", out);
			if (leads(grid, column) && grid->scale > 0)
				(void)fputs("<th scope=col class=b><span class=vh>interval, drawn"
					    "</span>",
					    out);
			if (leads(grid, column))
				(void)fputs("<th scope=col class=v>95 % interval", out);
		}
		(void)fprintf(out, "<th scope=col class=%s", class_of(column));
		if (column->sort)
			(void)fprintf(out, " data-key=%s%s", column->sort,
				      leads(grid, column) ? " aria-sort=descending" : "");
		(void)fprintf(out, *grid_title(column) ? ">%s" : "><span class=vh>%s</span>",
			      *grid_title(column) ? grid_title(column) : column->key);
	}
	(void)fputs("</thead>\n<tbody>\n", out);
}

/* What html.js adds up and sorts by, and the row's heat. */
static void begin_row(struct grid *grid)
{
	const struct grid_cell *ticks = &grid->cells[grid->order[0]];
	FILE *out = grid->out;

	(void)fputs("<tr", out);
	if (grid->row.id)
		(void)fprintf(out, " id=%s", grid->row.id);
	if (grid->row.class)
		(void)fprintf(out, " class=%s", grid->row.class);
	if (!ticks->blank && grid->columns[grid->order[0]].type == GRID_TICKS)
		(void)fprintf(out, " data-samples=%" PRIu64, ticks->count);
	for (size_t i = 1; i < grid->count; i++)
		if (grid->columns[grid->order[i]].type == GRID_TICKS)
			(void)fprintf(out, " data-total=%" PRIu64,
				      grid->cells[grid->order[i]].count);
	if (grid->peak && ticks->ink && ticks->count) {
		(void)fputs(" style=\"", out);
		html_print_heat(out, heat_of(ticks->count, grid->peak));
		(void)fprintf(out, ";--w:%.1f%%\"",
			      100 * (double)ticks->count / (double)grid->peak);
	}
	(void)fputc('>', out);
}

static void print_ticks(struct grid *grid, const struct grid_column *column,
			const struct grid_cell *cell)
{
	bool ranks = grid_ranks(grid);
	uint64_t count = cell->blank ? 0 : cell->count;

	html_print_share(grid->out, count, grid->total, ranks);
	if (ranks && grid->scale > 0 && leads(grid, column) && count && !grid->in_foot)
		html_print_bar(grid->out, count, grid->total, grid->scale);
	else if (ranks && grid->scale > 0 && leads(grid, column))
		(void)fputs("<td class=b>", grid->out);
	if (leads(grid, column))
		html_print_interval(grid->out, grid->in_foot ? 0 : count, grid->total, ranks);
	html_print_ticks(grid->out, count);
}

static void print_words(FILE *out, const struct grid_column *column, const struct grid_cell *cell)
{
	const char *text = grid_or_none(cell->text);

	if (cell->before)
		(void)fprintf(out, "<span class=j>%s</span>", cell->before);
	if (column->type == GRID_FUNCTION && !cell->plain)
		html_print_function(out, text);
	else if (column->type == GRID_CODE)
		html_print_code(out, text);
	else
		html_print_name(out, text);
	if (cell->behind) {
		(void)fputs(" <span class=callee>", out);
		html_print_function(out, cell->behind);
		(void)fputs("</span>", out);
	}
}

/* The name of the row. */
static void print_name(FILE *out, const struct grid_column *column, const struct grid_cell *cell)
{
	bool code = column->type == GRID_FUNCTION && !cell->plain;

	(void)fputs("<th scope=row class=f", out);
	if (cell->beside) {
		(void)fputs(" data-o=\"", out);
		html_print_name(out, cell->beside);
		(void)fputc('"', out);
	}
	(void)fputc('>', out);
	if (cell->link)
		(void)fprintf(out, "<a href=\"#%s\">", cell->link);
	(void)fputs(code ? "<code>" : "", out);
	print_words(out, column, cell);
	(void)fprintf(out, "%s%s", code ? "</code>" : "", cell->link ? "</a>" : "");
}

static void print_cell(struct grid *grid, const struct grid_column *column,
		       const struct grid_cell *cell)
{
	const char *class = class_of(column);

	if (column->type == GRID_TICKS) {
		print_ticks(grid, column, cell);
		return;
	}
	if (!strcmp(class, "f")) {
		print_name(grid->out, column, cell);
		return;
	}
	(void)fprintf(grid->out, "<td class=%s>", class);
	if (grid_is_text(column))
		print_words(grid->out, column, cell);
	else if (!cell->blank)
		(void)fputs(grid_number(grid, column->type, cell->count), grid->out);
}

static void end_row(struct grid *grid)
{
	(void)fputc('\n', grid->out);
}

void grid_begin_foot(struct grid *grid)
{
	(void)fputs("</tbody><tfoot>", grid->out);
	grid->in_foot = true;
}

static void end(struct grid *grid)
{
	(void)fputs(grid->in_foot ? "</tfoot>\n" : "</tbody>\n", grid->out);
}

const struct grid_writer grid_html = {
	.begin = begin,
	.begin_row = begin_row,
	.cell = print_cell,
	.end_row = end_row,
	.end = end,
};
