// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "analysis/table_inlines.h"
#include "view/bar.h"
#include "view/grid.h"
#include "view/html_section.h"

#include <string.h>

/* A bar is a luxury of wide pages. */
#define BAR_MAX 20
#define BAR_SHORT 12
#define PAGE_WIDE 120
#define PAGE_MEDIUM 96

enum column {
	COLUMN_TICKS = 1,
	COLUMN_NAME,
	COLUMN_FUNCTION,
	COLUMN_OBJECT,
	COLUMN_PATH,
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_ADDRESS,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_CPU,
	COLUMN_CGROUP,
	COLUMN_TITLE,
	COLUMN_CLASS,
	COLUMN_INLINED,
	COLUMN_PLACE, /* for eyes: the name of a line that is known */
	COLUMN_BAR,
	COLUMN_TOTAL,
	COLUMN_TOTAL_COUNT, /* CSV: the same in columns of their own names */
	COLUMN_TOTAL_LOW,
	COLUMN_TOTAL_HIGH,
	COLUMNS,
};

static const struct grid_column usual[COLUMNS] = {
	[COLUMN_TICKS] = {"samples", .type = GRID_TICKS, .sort = "samples"},
	[COLUMN_PID] = {"pid", .type = GRID_NUMBER},
	[COLUMN_TID] = {"tid", .type = GRID_NUMBER},
	[COLUMN_NAME] = {"name", .shrinks = 12, .class = "f", .sort = "name"},
	[COLUMN_PLACE] = {"line", .shrinks = 8},
	[COLUMN_ADDRESS] = {"address", .type = GRID_ADDRESS},
	[COLUMN_FUNCTION] = {"function", .type = GRID_FUNCTION, .shrinks = 12},
	[COLUMN_INLINED] = {"inlined", .type = GRID_FUNCTION, .shrinks = 8},
	[COLUMN_OBJECT] = {"object", .shrinks = 8, .class = "o", .sort = "object"},
	[COLUMN_PATH] = {"path", .shrinks = 12},
	[COLUMN_FILE] = {"file"},
	[COLUMN_LINE] = {"line", .type = GRID_COUNT},
	[COLUMN_CPU] = {"cpu", .type = GRID_COUNT},
	[COLUMN_CGROUP] = {"cgroup"},
	[COLUMN_TITLE] = {"title"},
	[COLUMN_CLASS] = {"class"},
	[COLUMN_BAR] = {"bar", ""},
	[COLUMN_TOTAL] = {"total", .type = GRID_TICKS, .group = "total", .sort = "total"},
	[COLUMN_TOTAL_COUNT] = {"total", .type = GRID_COUNT},
	[COLUMN_TOTAL_LOW] = {"total_low", .type = GRID_REAL},
	[COLUMN_TOTAL_HIGH] = {"total_high", .type = GRID_REAL},
};

/* For eyes, for each way to make rows. */
static const unsigned char shown[TABLE_BYS][8] = {
	[TABLE_BY_FUNCTION] = {COLUMN_TICKS, COLUMN_NAME, COLUMN_OBJECT, COLUMN_BAR},
	[TABLE_BY_LINE] = {COLUMN_TICKS, COLUMN_PLACE, COLUMN_FUNCTION, COLUMN_INLINED,
			   COLUMN_OBJECT, COLUMN_BAR},
	[TABLE_BY_ADDRESS] = {COLUMN_TICKS, COLUMN_ADDRESS, COLUMN_FUNCTION, COLUMN_INLINED,
			      COLUMN_OBJECT, COLUMN_BAR},
	[TABLE_BY_OBJECT] = {COLUMN_TICKS, COLUMN_NAME, COLUMN_PATH, COLUMN_BAR},
	[TABLE_BY_PROCESS] = {COLUMN_TICKS, COLUMN_PID, COLUMN_NAME, COLUMN_BAR},
	[TABLE_BY_THREAD] = {COLUMN_TICKS, COLUMN_PID, COLUMN_TID, COLUMN_NAME, COLUMN_BAR},
	[TABLE_BY_COMM] = {COLUMN_TICKS, COLUMN_NAME, COLUMN_BAR},
	[TABLE_BY_CPU] = {COLUMN_TICKS, COLUMN_NAME, COLUMN_BAR},
	[TABLE_BY_CGROUP] = {COLUMN_TICKS, COLUMN_NAME, COLUMN_BAR},
};

static const unsigned char in_csv[] = {COLUMN_TICKS,
				       COLUMN_NAME,
				       COLUMN_FUNCTION,
				       COLUMN_OBJECT,
				       COLUMN_PATH,
				       COLUMN_CLASS,
				       COLUMN_FILE,
				       COLUMN_LINE,
				       COLUMN_ADDRESS,
				       COLUMN_PID,
				       COLUMN_TID,
				       COLUMN_INLINED,
				       0};

struct bars {
	size_t columns; /* of a whole bar; 0: no bars */
	double scale;	/* the share that it stands for */
};

static struct bars plan_bars(const struct section *section)
{
	const struct table *table = section->table;
	unsigned width = section->style->width;
	struct bars bars = {0};

	if (!section->style->color || !section->ranks || !table->row_count)
		return bars;
	if (!width || width >= PAGE_WIDE)
		bars.columns = BAR_MAX;
	else if (width >= PAGE_MEDIUM)
		bars.columns = BAR_SHORT;
	bars.scale = interval_of_share(table->rows[0].ticks, table->total).high;
	return bars;
}

static bool any_inlined(const struct section *section)
{
	for (size_t i = 0; i < section_rows(section); i++)
		if (*section->table->rows[i].inlined)
			return true;
	return false;
}

/* Nothing is inlined in most profiles, and a column of nothing is not shown in text. */
static void plan_columns(const struct section *section, struct grid *grid, bool bars)
{
	bool text = section->style->form == REPORT_TEXT, inlined = !text || any_inlined(section);

	if (section->style->form == REPORT_JSON)
		grid_add_range(grid, COLUMN_TICKS, COLUMN_INLINED);
	else if (section->style->form == REPORT_CSV)
		grid_add_columns(grid, in_csv);
	else
		for (const unsigned char *column = shown[section->table->by]; *column; column++) {
			if (*column == COLUMN_BAR ? bars : *column != COLUMN_INLINED || inlined)
				grid_add_column(grid, *column);
			if (*column == COLUMN_TICKS && section->table->has_totals)
				grid_add_column(grid, COLUMN_TOTAL);
		}
	if (section->table->has_totals && section->style->form == REPORT_JSON)
		grid_add_column(grid, COLUMN_TOTAL);
	if (section->table->has_totals && section->style->form == REPORT_CSV)
		grid_add_range(grid, COLUMN_TOTAL_COUNT, COLUMN_TOTAL_HIGH);
}

/* A function that was inlined stands below the one that it is in. */
static void mark_part(const struct section *section, struct grid_cell *name)
{
	name->before = section->style->form == REPORT_MARKDOWN ? "↳ " : "  ";
	name->behind = " (inlined)";
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
	char bar[BAR_TEXT];

	fill(section, row, grid->cells);
	if (section->table->by == TABLE_BY_FUNCTION && *row->inlined) {
		mark_part(section, &grid->cells[COLUMN_NAME]);
		grid->cells[COLUMN_TOTAL].blank = true; /* inlined callers are not followed */
	} else if (*row->title && section->style->form != REPORT_JSON &&
		   section->style->form != REPORT_CSV)
		grid->cells[COLUMN_NAME].text = row->title;
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
		grid_json_ticks(json, part.ticks, table->total);
		json_add_string(json, "name", part.name);
		json_close(json);
	}
	if (json)
		json_close(json);
}

static void add_sum(struct grid *grid, const char *id, const char *name, uint64_t ticks)
{
	grid->row.id = id;
	grid->cells[COLUMN_TICKS].count = ticks;
	grid->cells[COLUMN_TOTAL].blank = true;
	grid->cells[COLUMN_NAME] = (struct grid_cell){.text = name, .plain = true};
	grid_row(grid);
}

/* What has no row on the page has one at the table's foot, and functions have their sum there. */
static void add_foot(const struct section *section, struct grid *grid)
{
	const struct table *table = section->table;
	size_t rows = section_rows(section);
	bool functions = table->by == TABLE_BY_FUNCTION;
	uint64_t ticks = 0;

	if (rows == table->row_count && !functions)
		return;
	for (size_t i = rows; i < table->row_count; i++)
		ticks = ticks_add(ticks, table->rows[i].ticks);
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

	memcpy(columns, usual, sizeof(columns));
	columns[COLUMN_NAME].title = table_by_name(table->by);
	if (table->has_totals)
		columns[COLUMN_TICKS].title = "self";
	if (table->by == TABLE_BY_FUNCTION)
		columns[COLUMN_NAME].type = GRID_FUNCTION;
	plan_columns(section, &grid, bars.columns);
	if (table->row_count)
		grid.scale = interval_of_share(table->rows[0].ticks, table->total).high;
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
