// SPDX-License-Identifier: BSD-2-Clause
#include "view/rows_columns.h"

#include <string.h>

const struct grid_column rows_usual[COLUMNS] = {
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
	[COLUMN_SELF_SHARE] = {"share", .type = GRID_SHARE},
	[COLUMN_TOTAL_SHARE] = {"total", .type = GRID_SHARE},
	[COLUMN_RUNNING] = {"on CPU", .type = GRID_TIME, .class = "w"},
	[COLUMN_QUEUED] = {"waiting", .type = GRID_TIME, .class = "w"},
	[COLUMN_BLOCKED] = {"blocked", .type = GRID_TIME},
	[COLUMN_IDLE] = {"idle", .type = GRID_TIME},
	[COLUMN_TIMES] = {"times", .type = GRID_COUNT},
	[COLUMN_MEAN] = {"mean", .type = GRID_TIME, .class = "w"},
	[COLUMN_SELF_NS] = {"self_ns", .type = GRID_TIME},
	[COLUMN_RUNNING_NS] = {"running_ns", .type = GRID_TIME},
	[COLUMN_QUEUED_NS] = {"runqueue_ns", .type = GRID_TIME},
	[COLUMN_BLOCKED_NS] = {"blocked_ns", .type = GRID_TIME},
	[COLUMN_TIMES_QUEUED] = {"times_queued", .type = GRID_COUNT},
	[COLUMN_TIMES_BLOCKED] = {"times_blocked", .type = GRID_COUNT},
	[COLUMN_TOTAL_NS] = {"total_ns", .type = GRID_TIME, .group = "total"},
	[COLUMN_TOTAL_RUNNING_NS] = {"running_ns", .type = GRID_TIME, .group = "total"},
	[COLUMN_TOTAL_QUEUED_NS] = {"runqueue_ns", .type = GRID_TIME, .group = "total"},
	[COLUMN_TOTAL_BLOCKED_NS] = {"blocked_ns", .type = GRID_TIME, .group = "total"},
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
	[TABLE_BY_REASON] = {COLUMN_TICKS, COLUMN_TIMES, COLUMN_MEAN, COLUMN_NAME},
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

static bool any_inlined(const struct section *section)
{
	for (size_t i = 0; i < section_rows(section); i++)
		if (*section->table->rows[i].inlined)
			return true;
	return false;
}

/* In place of samples: what threads did with all of their time. */
static void plan_lives(const struct table *table, struct grid *grid)
{
	grid_add_column(grid, COLUMN_SELF_SHARE);
	if (table->has_totals)
		grid_add_column(grid, COLUMN_TOTAL_SHARE);
	grid_add_range(grid, COLUMN_RUNNING, table->idle ? COLUMN_IDLE : COLUMN_BLOCKED);
}

/* In place of samples: so much of a value. */
static void plan_value(const struct table *table, struct grid *grid)
{
	grid_add_column(grid, COLUMN_SELF_SHARE);
	if (table->has_totals)
		grid_add_column(grid, COLUMN_TOTAL_SHARE);
	grid_add_column(grid, table->has_totals ? COLUMN_TOTAL : COLUMN_TICKS);
}

/* Nothing is inlined in most profiles, and a column of nothing is not shown in text. */
static void plan_text(const struct section *section, struct grid *grid, bool bars)
{
	const struct table *table = section->table;
	bool inlined = section->style->form != REPORT_TEXT || any_inlined(section);

	for (const unsigned char *column = shown[table->by]; *column; column++) {
		if (*column == COLUMN_TICKS && table->has_lives)
			plan_lives(table, grid);
		else if (*column == COLUMN_TICKS && table->value)
			plan_value(table, grid);
		else if ((*column == COLUMN_TIMES || *column == COLUMN_MEAN) && table->value)
			continue;
		else if (*column == COLUMN_BAR ? bars : *column != COLUMN_INLINED || inlined)
			grid_add_column(grid, *column);
		if (*column == COLUMN_TICKS && table->has_totals && !table->has_lives &&
		    !table->value)
			grid_add_column(grid, COLUMN_TOTAL);
	}
}

static void plan_data(const struct section *section, struct grid *grid)
{
	const struct table *table = section->table;
	bool json = section->style->form == REPORT_JSON;

	if (json)
		grid_add_range(grid, COLUMN_TICKS, COLUMN_INLINED);
	else
		grid_add_columns(grid, in_csv);
	if (table->has_lives)
		grid_add_range(grid, COLUMN_SELF_NS, COLUMN_TIMES_BLOCKED);
	if (table->has_totals && (json || table->value))
		grid_add_column(grid, COLUMN_TOTAL);
	else if (table->has_totals)
		grid_add_range(grid, COLUMN_TOTAL_COUNT, COLUMN_TOTAL_HIGH);
	if (table->has_totals && table->has_lives)
		grid_add_range(grid, COLUMN_TOTAL_NS, COLUMN_TOTAL_BLOCKED_NS);
}

/* CSV has no objects. */
static void name_totals(struct grid_column *columns)
{
	static const char *const keys[] = {"total_ns", "total_running_ns", "total_runqueue_ns",
					   "total_blocked_ns"};

	for (int i = 0; i < 4; i++)
		columns[COLUMN_TOTAL_NS + i] =
			(struct grid_column){.key = keys[i], .type = GRID_TIME};
}

/* So much of the section's value, and no share that could be another by chance. */
static void name_value(const struct section *section, struct grid_column *columns)
{
	enum grid_type type = section->is_time ? GRID_TIME : GRID_COUNT;

	columns[COLUMN_TICKS] = (struct grid_column){"self", section->value, .type = type};
	columns[COLUMN_TOTAL] = (struct grid_column){"total", section->value, .type = type};
}

void rows_plan(const struct section *section, bool bars, struct grid *grid,
	       struct grid_column *columns)
{
	const struct table *table = section->table;
	enum report_form form = section->style->form;

	memcpy(columns, rows_usual, sizeof(rows_usual));
	columns[COLUMN_NAME].title = table_by_name(table->by);
	if (table->has_totals)
		columns[COLUMN_TICKS].title = columns[COLUMN_SELF_SHARE].title = "self";
	if (table->value)
		name_value(section, columns);
	if (table->by == TABLE_BY_FUNCTION)
		columns[COLUMN_NAME].type = GRID_FUNCTION;
	if (form == REPORT_CSV)
		name_totals(columns);
	if (form == REPORT_CSV || form == REPORT_JSON)
		plan_data(section, grid);
	else
		plan_text(section, grid, bars);
}
