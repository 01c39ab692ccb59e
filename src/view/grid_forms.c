// SPDX-License-Identifier: BSD-2-Clause
#include "view/grid_writer.h"

#include "analysis/interval.h"
#include "view/markdown.h"
#include "view/text.h"

#include <inttypes.h>
#include <string.h>

/* ---- Markdown ---- */

/* What is neither a name nor an address, and stands to the right. */
static bool is_amount(const struct grid_column *column)
{
	return column->right || column->type == GRID_COUNT || column->type == GRID_SHARE ||
	       column->type == GRID_TIME;
}

static void begin_markdown(struct grid *grid)
{
	bool shares = grid_ranks(grid);

	for (size_t i = 0; i < grid->count; i++) {
		const struct grid_column *column = &grid->columns[grid->order[i]];

		if (column->type == GRID_TICKS && shares)
			(void)fputs("| share | 95 % interval ", grid->out);
		(void)fprintf(grid->out, "| %s ", grid_title(column));
	}
	(void)fputs("|\n", grid->out);
	for (size_t i = 0; i < grid->count; i++) {
		const struct grid_column *column = &grid->columns[grid->order[i]];
		bool number = is_amount(column) || column->type == GRID_TICKS;

		if (column->type == GRID_TICKS && shares)
			(void)fputs("| --: | --: ", grid->out);
		(void)fputs(number ? "| --: " : "| --- ", grid->out);
	}
	(void)fputs("|\n", grid->out);
}

static void print_markdown_ticks(const struct grid *grid, uint64_t ticks)
{
	struct interval range = interval_of_share(ticks, grid->total);

	if (grid_ranks(grid))
		(void)fprintf(grid->out, "| %s | %.1f – %.1f %% ",
			      text_share(grid_share(grid, ticks)).text, 100 * range.low,
			      100 * range.high);
	(void)fprintf(grid->out, "| %s ", text_count(ticks).text);
}

static void print_markdown(struct grid *grid, const struct grid_column *column,
			   const struct grid_cell *cell)
{
	const char *text = grid_or_none(cell->text);

	if (column->type == GRID_TICKS && cell->blank) {
		(void)fputs(grid_ranks(grid) ? "| | | " : "| ", grid->out);
		return;
	}
	if (column->type == GRID_TICKS) {
		print_markdown_ticks(grid, cell->count);
		return;
	}
	if (!grid_is_text(column))
		text = cell->blank ? "" : grid_number(grid, column->type, cell->count);
	(void)fprintf(grid->out, "| %s", grid_or_none(cell->before));
	if (cell->plain || is_amount(column))
		(void)fputs(text, grid->out);
	else if (column->type == GRID_FUNCTION)
		markdown_print_function(grid->out, text);
	else
		markdown_print_code(grid->out, text);
	(void)fprintf(grid->out, "%s ", grid_or_none(cell->behind));
}

static void end_markdown(struct grid *grid)
{
	(void)fputs("|\n", grid->out);
}

const struct grid_writer grid_markdown = {
	.begin = begin_markdown,
	.cell = print_markdown,
	.end_row = end_markdown,
};

/* ---- CSV, RFC 4180: lines end in CR LF, fields with a comma, quote or line end are quoted ---- */

static void begin_csv(struct grid *grid)
{
	for (size_t i = 0; i < grid->count; i++) {
		const struct grid_column *column = &grid->columns[grid->order[i]];

		(void)fprintf(grid->out, "%s%s%s%s%s", i ? "," : "", column->key,
			      column->type == GRID_TICKS ? ",share,low,high" : "",
			      column->group ? "_" : "", grid_or_none(column->group));
	}
	(void)fputs("\r\n", grid->out);
}

void csv_print_field(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		(void)fputs(text, out);
		return;
	}
	(void)fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			(void)fputc('"', out);
		(void)fputc(*text, out);
	}
	(void)fputc('"', out);
}

static void print_csv(struct grid *grid, const struct grid_column *column,
		      const struct grid_cell *cell)
{
	struct interval range;

	if (column != &grid->columns[grid->order[0]])
		(void)fputc(',', grid->out);
	switch (column->type) {
	case GRID_TEXT:
	case GRID_FUNCTION:
	case GRID_CODE:
		csv_print_field(grid->out, grid_or_none(cell->text));
		break;
	case GRID_REAL:
		(void)fprintf(grid->out, "%.9g", cell->real);
		break;
	case GRID_ADDRESS:
	case GRID_OFFSET:
		(void)fprintf(grid->out, "0x%" PRIx64, cell->count);
		break;
	default:
		(void)fprintf(grid->out, "%" PRIu64, cell->count);
	}
	if (column->type != GRID_TICKS)
		return;
	range = interval_of_share(cell->count, grid->total);
	(void)fprintf(grid->out, ",%.9g,%.9g,%.9g", grid_share(grid, cell->count), range.low,
		      range.high);
}

static void end_csv(struct grid *grid)
{
	(void)fputs("\r\n", grid->out);
}

const struct grid_writer grid_csv = {
	.begin = begin_csv,
	.cell = print_csv,
	.end_row = end_csv,
};

/* ---- JSON ---- */

void grid_json_ticks(struct json *json, uint64_t ticks, uint64_t total)
{
	struct interval range = interval_of_share(ticks, total);

	json_add_count(json, "samples", ticks);
	json_add_real(json, "share", total ? (double)ticks / (double)total : 0);
	json_add_real(json, "low", range.low);
	json_add_real(json, "high", range.high);
}

static void begin_json(struct grid *grid)
{
	json_open_list(grid->json, grid->key, /* lines= */ true);
}

/* The row before was open to further members. */
static void begin_json_row(struct grid *grid)
{
	if (grid->row_count)
		json_close(grid->json);
	json_open_object(grid->json, NULL, /* lines= */ false);
}

static void change_group(struct grid *grid, const char *group)
{
	if (grid->group == group)
		return;
	if (grid->group)
		json_close(grid->json);
	if (group)
		json_open_object(grid->json, group, /* lines= */ false);
	grid->group = group;
}

/* The columns of a group are an object in the row's. */
static void print_json(struct grid *grid, const struct grid_column *column,
		       const struct grid_cell *cell)
{
	change_group(grid, column->group);
	switch (column->type) {
	case GRID_TEXT:
	case GRID_FUNCTION:
	case GRID_CODE:
		if (cell->text)
			json_add_string(grid->json, column->key, cell->text);
		break;
	case GRID_TICKS:
		grid_json_ticks(grid->json, cell->count, grid->total);
		break;
	case GRID_REAL:
		json_add_real(grid->json, column->key, cell->real);
		break;
	case GRID_BOOL:
		json_add_bool(grid->json, column->key, cell->count != 0);
		break;
	default:
		if (!cell->blank)
			json_add_count(grid->json, column->key, cell->count);
	}
}

static void end_json_row(struct grid *grid)
{
	change_group(grid, NULL);
}

static void end_json(struct grid *grid)
{
	if (grid->row_count)
		json_close(grid->json);
	json_close(grid->json);
}

const struct grid_writer grid_json = {
	.begin = begin_json,
	.begin_row = begin_json_row,
	.cell = print_json,
	.end_row = end_json_row,
	.end = end_json,
};
