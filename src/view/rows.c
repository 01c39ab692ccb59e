// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "analysis/table_inlines.h"
#include "view/bar.h"
#include "view/html_section.h"
#include "view/rows_columns.h"

#include <string.h>

/* A bar is a luxury of wide pages. */
#define BAR_MAX 20
#define BAR_SHORT 12
#define PAGE_WIDE 120
#define PAGE_MEDIUM 96

struct bars {
	size_t columns; /* of a whole bar; 0: no bars */
	double scale;	/* the share that it stands for */
};

/* The largest share of samples that a row has, by its upper end: what a whole bar stands for. */
static double whole_bar(const struct table *table)
{
	uint64_t most = 0;

	for (size_t i = 0; i < table->row_count; i++)
		most = most > table->rows[i].ticks ? most : table->rows[i].ticks;
	return table->row_count ? interval_of_share(most, table->total).high : 0;
}

static struct bars plan_bars(const struct section *section)
{
	const struct table *table = section->table;
	unsigned width = section->style->width;
	struct bars bars = {0};

	if (!section->style->color || !section->ranks || table->has_lives || table->value)
		return bars;
	if (!width || width >= PAGE_WIDE)
		bars.columns = BAR_MAX;
	else if (width >= PAGE_MEDIUM)
		bars.columns = BAR_SHORT;
	bars.scale = whole_bar(table);
	return bars;
}

static struct grid_cell amount_cell(uint64_t amount)
{
	return (struct grid_cell){.count = amount, .blank = !amount};
}

static void fill_lives(const struct table *table, const struct table_row *row,
		       struct grid_cell *cells)
{
	/* Inlined callers are not followed. */
	bool is_part = table->by == TABLE_BY_FUNCTION && *row->inlined;
	const uint64_t *states = table->has_totals && !is_part ? row->all : row->own;
	uint64_t times = row->own[LIFE_TIMES_QUEUED] + row->own[LIFE_TIMES_BLOCKED];
	uint64_t own = table->value ? row->ticks : table_time(row->own);
	uint64_t all = table->value ? row->total : table_time(row->all);

	cells[COLUMN_SELF_SHARE] =
		(struct grid_cell){.count = own, .ink = INK_STRONG, .blank = row->idle};
	cells[COLUMN_TOTAL_SHARE] = (struct grid_cell){.count = all, .blank = row->idle};
	cells[COLUMN_RUNNING] = amount_cell(states[LIFE_RUNNING]);
	cells[COLUMN_QUEUED] = amount_cell(states[LIFE_QUEUED]);
	cells[COLUMN_BLOCKED] = amount_cell(states[LIFE_BLOCKED]);
	cells[COLUMN_IDLE] = amount_cell(row->idle);
	cells[COLUMN_TIMES] = amount_cell(times);
	cells[COLUMN_MEAN] = amount_cell(times ? table_time(row->own) / times : 0);
	cells[COLUMN_SELF_NS].count = table_time(row->own);
	cells[COLUMN_TOTAL_NS].count = table_time(row->all);
	for (int i = 0; i < LIFE_VALUES; i++)
		cells[COLUMN_RUNNING_NS + i].count = row->own[i];
	for (int i = 0; i < LIFE_STATES; i++)
		cells[COLUMN_TOTAL_RUNNING_NS + i].count = row->all[i];
}

static void fill(const struct section *section, const struct table_row *row,
		 struct grid_cell *cells)
{
	struct interval range = interval_of_share(row->total, section->table->total);
	const char *ink = section_ink(row->class);

	cells[COLUMN_TICKS].count = row->ticks;
	cells[COLUMN_TOTAL].count = cells[COLUMN_TOTAL_COUNT].count = row->total;
	cells[COLUMN_TOTAL_LOW].real = range.low;
	cells[COLUMN_TOTAL_HIGH].real = range.high;
	fill_lives(section->table, row, cells);
	cells[COLUMN_PID].count = row->pid;
	cells[COLUMN_TID].count = row->tid;
	cells[COLUMN_NAME].text = row->name;
	cells[COLUMN_PLACE].text = *row->file ? row->name : "";
	cells[COLUMN_ADDRESS].count = row->address;
	cells[COLUMN_FUNCTION].text = row->function;
	cells[COLUMN_INLINED].text = row->inlined;
	cells[COLUMN_OBJECT] = (struct grid_cell){.text = row->object, .ink = ink};
	cells[COLUMN_PATH] = (struct grid_cell){.text = row->path, .ink = ink};
	cells[COLUMN_FILE].text = row->file;
	cells[COLUMN_LINE].count = row->line;
	cells[COLUMN_CPU] = (struct grid_cell){.count = row->cpu - 1U, .blank = !row->cpu};
	cells[COLUMN_CGROUP].text = *row->cgroup ? row->cgroup : NULL;
	cells[COLUMN_TITLE].text = *row->title ? row->title : NULL;
	if (section->table->by < TABLE_BY_PROCESS)
		cells[COLUMN_CLASS].text = profile_class_name(row->class);
}

/* On a page a function's name leads to its code, where that is there. */
static void mark_page(const struct section *section, struct grid *grid, const struct table_row *row)
{
	struct grid_cell *name = &grid->cells[COLUMN_NAME];
	size_t code;

	grid->row.class = grid_format(grid, "c%d", row->class);
	if (section->table->by != TABLE_BY_FUNCTION)
		return;
	name->beside = row->object;
	code = html_find_code(section->code, row);
	if (code < section->code->count)
		name->link = grid_format(grid, "f%zu", code);
}

static void add_row(const struct section *section, struct grid *grid, const struct bars *bars,
		    const struct table_row *row)
{
	struct grid_cell *name = &grid->cells[COLUMN_NAME];
	char bar[BAR_TEXT];

	fill(section, row, grid->cells);
	if (section->table->by == TABLE_BY_FUNCTION && *row->inlined) {
		/* It stands below the function that it is in. */
		name->before = section->style->form == REPORT_MARKDOWN ? "↳ " : "  ";
		name->behind = " (inlined)";
		grid->cells[COLUMN_TOTAL].blank = true; /* inlined callers are not followed */
	} else if (*row->title && section->style->form != REPORT_JSON &&
		   section->style->form != REPORT_CSV)
		name->text = row->title;
	if (section->style->form == REPORT_HTML)
		mark_page(section, grid, row);
	if (bars->columns) {
		bar_text(section->marks, bars->columns, bars->scale,
			 interval_of_share(row->ticks, section->table->total), bar);
		grid->cells[COLUMN_BAR] =
			(struct grid_cell){.text = bar, .ink = section_ink(row->class)};
	}
	grid_row(grid);
}

static void add_part_times(struct json *json, const struct table_row *part)
{
	json_add_count(json, rows_usual[COLUMN_SELF_NS].key, table_time(part->own));
	for (int i = 0; i < LIFE_VALUES; i++)
		json_add_count(json, rows_usual[COLUMN_RUNNING_NS + i].key, part->own[i]);
}

/* In JSON they are members of their row. */
static void add_parts(const struct section *section, struct grid *grid, const struct bars *bars,
		      const struct table_row *row)
{
	const struct table *table = section->table;
	struct json *json = section->style->form == REPORT_JSON ? grid->json : NULL;

	if (json)
		json_open_list(json, "inlines", /* lines= */ false);
	for (uint32_t i = 0; i < row->part_count; i++) {
		struct table_row part = table_inlines_row(table, row, i);

		if (!json) {
			add_row(section, grid, bars, &part);
			continue;
		}
		json_open_object(json, NULL, /* lines= */ false);
		if (table->value)
			json_add_count(json, "self", part.ticks);
		else
			grid_json_ticks(json, part.ticks, table->total);
		if (table->has_lives)
			add_part_times(json, &part);
		json_add_string(json, "name", part.name);
		json_close(json);
	}
	if (json)
		json_close(json);
}

static void add_sum(struct grid *grid, const char *id, const char *name, uint64_t ticks)
{
	grid->row.id = id;
	grid->cells[COLUMN_TICKS].count = grid->cells[COLUMN_SELF_SHARE].count = ticks;
	grid->cells[COLUMN_TOTAL].blank = grid->cells[COLUMN_TOTAL_SHARE].blank = true;
	for (unsigned i = COLUMN_RUNNING; i <= COLUMN_MEAN; i++)
		grid->cells[i].blank = true;
	grid->cells[COLUMN_NAME] = (struct grid_cell){.text = name, .plain = true};
	grid_row(grid);
}

/* What has no row on the page has one at the table's foot, and functions have their sum there. */
static void add_foot(const struct section *section, struct grid *grid)
{
	const struct table *table = section->table;
	size_t rows = section_rows(section);
	bool functions = table->by == TABLE_BY_FUNCTION && !table->has_lives;
	uint64_t ticks = 0;

	if (rows == table->row_count && !functions)
		return;
	for (size_t i = rows; i < table->row_count; i++)
		ticks = ticks_add(ticks, table->has_lives ? table_time(table->rows[i].own)
							  : table->rows[i].ticks);
	grid_begin_foot(grid);
	if (rows < table->row_count)
		add_sum(grid, functions ? "rest" : NULL,
			grid_format(grid, "and %s more", text_count(table->row_count - rows).text),
			ticks);
	if (functions)
		add_sum(grid, "sum", "all", table->total);
}

int rows_print(const struct section *section, struct json *json)
{
	const struct table *table = section->table;
	struct bars bars = plan_bars(section);
	struct grid_column columns[COLUMNS];
	struct grid grid = {
		.out = section->out,
		.style = section->style,
		.columns = columns,
		.total = table->total,
		.key = "rows",
		.json = json,
	};

	if (table->has_lives && !json && section->style->form != REPORT_CSV)
		grid.total = table_time(table->lives);
	rows_plan(section, bars.columns, &grid, columns);
	grid.scale = whole_bar(table);
	grid_begin(&grid);
	for (size_t i = 0; i < section_rows(section); i++) {
		add_row(section, &grid, &bars, &table->rows[i]);
		if (table->rows[i].part_count)
			add_parts(section, &grid, &bars, &table->rows[i]);
	}
	if (section->style->form == REPORT_HTML)
		add_foot(section, &grid);
	return grid_end(&grid);
}
