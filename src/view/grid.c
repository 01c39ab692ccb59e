// SPDX-License-Identifier: BSD-2-Clause
#include "view/grid.h"

#include "analysis/interval.h"
#include "view/markdown.h"
#include "view/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* What a column of ticks is made of, for eyes. */
static const struct layout_column share_title = {" share", .right = true};
static const struct layout_column interval_title = {"95 % interval", .right = true};

static bool ranks(const struct grid *grid)
{
	return grid->total >= EVIDENCE_FLOOR;
}

static const char *title_of(const struct grid_column *column)
{
	return column->title ? column->title : column->key;
}

static const char *or_none(const char *text)
{
	return text ? text : "";
}

/* Numbers stand under each other by their last digit. */
static bool is_right(const struct grid_column *column)
{
	return column->right || (column->type != GRID_TEXT && column->type != GRID_FUNCTION);
}

static double share_of(const struct grid *grid, uint64_t ticks)
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

		if (column->type == GRID_TICKS && ranks(grid)) {
			grid->titles[count++] = share_title;
			if (!grid->no_interval)
				grid->titles[count++] = interval_title;
		}
		grid->titles[count++] = (struct layout_column){
			title_of(column), .right = is_right(column), .shrinks = column->shrinks};
	}
	grid->ret = layout_init(&grid->layout, grid->titles, count, grid->style->utf8);
}

/* Text of a number as eyes read it. */
static const char *number_text(struct grid *grid, enum grid_type type, uint64_t count)
{
	switch (type) {
	case GRID_NUMBER:
		return count ? grid_format(grid, "%" PRIu64, count) : "";
	case GRID_ADDRESS:
		return count ? grid_format(grid, "0x%" PRIx64, count) : "";
	case GRID_OFFSET:
		return grid_format(grid, "%" PRIx64, count);
	case GRID_SHARE:
		return count ? grid_format(grid, "%s", text_share(share_of(grid, count)).text) : "";
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
	if (ranks(grid))
		add_text(grid, cell->ink ? cell->ink : INK_STRONG,
			 cell->blank ? "" : text_share(share_of(grid, cell->count)).text);
	if (ranks(grid) && !grid->no_interval)
		add_text(grid, INK_FAINT, cell->blank ? "" : interval_text(grid, cell->count));
	add_text(grid, or_none(cell->ink), cell->blank ? "" : text_count(cell->count).text);
}

static void add_cell(struct grid *grid, const struct grid_column *column,
		     const struct grid_cell *cell)
{
	const char *before = or_none(cell->before), *behind = or_none(cell->behind);
	const char *ink = or_none(cell->ink), *text = or_none(cell->text);

	if (column->type == GRID_TICKS) {
		add_ticks(grid, cell);
		return;
	}
	if (column->type != GRID_TEXT && column->type != GRID_FUNCTION)
		text = cell->blank ? "" : number_text(grid, column->type, cell->count);
	if (grid->ret)
		return;
	grid->ret = column->type == GRID_FUNCTION && !cell->plain
			    ? layout_add_function(&grid->layout, ink, before, text, behind)
			    : layout_add(&grid->layout, ink, "%s%s%s", before, text, behind);
}

/* ---- Markdown ---- */

/* What is neither a name nor an address, and stands to the right. */
static bool is_amount(const struct grid_column *column)
{
	return column->right || column->type == GRID_COUNT || column->type == GRID_SHARE;
}

static void begin_markdown(struct grid *grid)
{
	bool shares = ranks(grid);

	for (size_t i = 0; i < grid->count; i++) {
		const struct grid_column *column = &grid->columns[grid->order[i]];

		if (column->type == GRID_TICKS && shares)
			(void)fputs("| share | 95 % interval ", grid->out);
		(void)fprintf(grid->out, "| %s ", title_of(column));
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

	if (ranks(grid))
		(void)fprintf(grid->out, "| %s | %.1f – %.1f %% ",
			      text_share(share_of(grid, ticks)).text, 100 * range.low,
			      100 * range.high);
	(void)fprintf(grid->out, "| %s ", text_count(ticks).text);
}

static void print_markdown(struct grid *grid, const struct grid_column *column,
			   const struct grid_cell *cell)
{
	const char *text = or_none(cell->text);

	if (column->type == GRID_TICKS && cell->blank) {
		(void)fputs(ranks(grid) ? "| | | " : "| ", grid->out);
		return;
	}
	if (column->type == GRID_TICKS) {
		print_markdown_ticks(grid, cell->count);
		return;
	}
	if (column->type != GRID_TEXT && column->type != GRID_FUNCTION)
		text = number_text(grid, column->type, cell->count);
	(void)fprintf(grid->out, "| %s", or_none(cell->before));
	if (cell->plain || is_amount(column))
		(void)fputs(text, grid->out);
	else if (column->type == GRID_FUNCTION)
		markdown_print_function(grid->out, text);
	else
		markdown_print_code(grid->out, text);
	(void)fprintf(grid->out, "%s ", or_none(cell->behind));
}

/* ---- CSV, RFC 4180: lines end in CR LF, fields with a comma, quote or line end are quoted ---- */

static void begin_csv(struct grid *grid)
{
	for (size_t i = 0; i < grid->count; i++) {
		const struct grid_column *column = &grid->columns[grid->order[i]];

		(void)fprintf(grid->out, "%s%s%s%s%s", i ? "," : "", column->key,
			      column->type == GRID_TICKS ? ",share,low,high" : "",
			      column->group ? "_" : "", or_none(column->group));
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

	switch (column->type) {
	case GRID_TEXT:
	case GRID_FUNCTION:
		csv_print_field(grid->out, or_none(cell->text));
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
	(void)fprintf(grid->out, ",%.9g,%.9g,%.9g", share_of(grid, cell->count), range.low,
		      range.high);
}

/* ---- JSON ---- */

void grid_json_ticks(struct json *json, uint64_t ticks, uint64_t total)
{
	struct interval range = interval_of_share(ticks, total);

	json_add_count(json, "samples", ticks);
	json_add_real(json, "share", total ? (double)ticks / (double)total : 0);
	json_add_real(json, "low", range.low);
	json_add_real(json, "high", range.high);
}

static void print_json(struct grid *grid, const struct grid_column *column,
		       const struct grid_cell *cell)
{
	switch (column->type) {
	case GRID_TEXT:
	case GRID_FUNCTION:
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

static void print_object(struct grid *grid)
{
	const char *group = NULL;

	json_open_object(grid->json, NULL, /* lines= */ false);
	for (size_t i = 0; i < grid->count; i++) {
		const struct grid_column *column = &grid->columns[grid->order[i]];

		if (column->group != group && group)
			json_close(grid->json);
		if (column->group != group && column->group)
			json_open_object(grid->json, column->group, /* lines= */ false);
		group = column->group;
		print_json(grid, column, &grid->cells[grid->order[i]]);
	}
	if (group)
		json_close(grid->json);
}

/* ---- all ---- */

void grid_begin(struct grid *grid)
{
	switch (grid->style->form) {
	case REPORT_TEXT:
		begin_text(grid);
		break;
	case REPORT_JSON:
		json_open_list(grid->json, grid->key, /* lines= */ true);
		break;
	case REPORT_CSV:
		begin_csv(grid);
		break;
	case REPORT_MARKDOWN:
		begin_markdown(grid);
		break;
	}
}

static void print_row(struct grid *grid)
{
	for (size_t i = 0; i < grid->count; i++) {
		const struct grid_column *column = &grid->columns[grid->order[i]];
		const struct grid_cell *cell = &grid->cells[grid->order[i]];

		if (grid->style->form == REPORT_TEXT) {
			add_cell(grid, column, cell);
		} else if (grid->style->form == REPORT_MARKDOWN) {
			print_markdown(grid, column, cell);
		} else {
			(void)fputs(i ? "," : "", grid->out);
			print_csv(grid, column, cell);
		}
	}
	if (grid->style->form != REPORT_TEXT)
		(void)fputs(grid->style->form == REPORT_CSV ? "\r\n" : "|\n", grid->out);
}

void grid_row(struct grid *grid)
{
	if (grid->style->form != REPORT_JSON) {
		print_row(grid);
	} else {
		if (grid->row_count++)
			json_close(grid->json);
		print_object(grid);
	}
	memset(grid->cells, 0, sizeof(grid->cells));
	grid->scratch_used = 0;
}

int grid_end(struct grid *grid)
{
	if (grid->style->form == REPORT_JSON) {
		if (grid->row_count)
			json_close(grid->json);
		json_close(grid->json);
	} else if (grid->style->form == REPORT_TEXT) {
		if (!grid->ret) {
			layout_fit(&grid->layout, grid->style->width);
			grid->ret = layout_print(grid->out, &grid->layout, grid->style->color);
		}
		layout_done(&grid->layout);
	}
	return grid->ret;
}
