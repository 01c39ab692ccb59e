// SPDX-License-Identifier: BSD-2-Clause
#include "view/compare_private.h"

#include "view/grid.h"
#include "view/section.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INK_SLOWER "\033[1;31m"
#define INK_FASTER "\033[1;32m"

enum column {
	COLUMN_BEFORE_TICKS = 1,
	COLUMN_BEFORE_VALUE,
	COLUMN_BEFORE_INLINED,
	COLUMN_BEFORE_INTO,
	COLUMN_BEFORE_ID,
	COLUMN_AFTER_TICKS,
	COLUMN_AFTER_VALUE,
	COLUMN_AFTER_INLINED,
	COLUMN_AFTER_INTO,
	COLUMN_AFTER_ID,
	COLUMN_CHANGE,
	COLUMN_LOW,
	COLUMN_HIGH,
	COLUMN_PROBABILITY,
	COLUMN_SIGNIFICANT,
	COLUMN_MATCH,
	COLUMN_MOVED_FROM,
	COLUMN_NAME,
	COLUMN_FUNCTION,
	COLUMN_OBJECT,
	COLUMN_PATH,
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_CLASS,
	/* CSV's, which has no objects */
	COLUMN_BEFORE,
	COLUMN_AFTER,
	/* for eyes */
	EYES_BEFORE,
	EYES_AFTER,
	EYES_CHANGE,
	EYES_RELATIVE,
	EYES_INTERVAL,
	EYES_PROBABILITY,
	EYES_LINE,
	EYES_CALLERS,
	EYES_NOTE,
	COLUMNS,
};

static const struct grid_column usual[COLUMNS] = {
	[COLUMN_BEFORE_TICKS] = {"samples", .type = GRID_COUNT, .group = "before"},
	[COLUMN_BEFORE_VALUE] = {"value", .type = GRID_REAL, .group = "before"},
	[COLUMN_BEFORE_INLINED] = {"inlined", .type = GRID_COUNT, .group = "before"},
	[COLUMN_BEFORE_INTO] = {"into", .group = "before"},
	[COLUMN_BEFORE_ID] = {"build_id", .group = "before"},
	[COLUMN_AFTER_TICKS] = {"samples", .type = GRID_COUNT, .group = "after"},
	[COLUMN_AFTER_VALUE] = {"value", .type = GRID_REAL, .group = "after"},
	[COLUMN_AFTER_INLINED] = {"inlined", .type = GRID_COUNT, .group = "after"},
	[COLUMN_AFTER_INTO] = {"into", .group = "after"},
	[COLUMN_AFTER_ID] = {"build_id", .group = "after"},
	[COLUMN_CHANGE] = {"change", .type = GRID_REAL},
	[COLUMN_LOW] = {"low", .type = GRID_REAL},
	[COLUMN_HIGH] = {"high", .type = GRID_REAL},
	[COLUMN_PROBABILITY] = {"probability", .type = GRID_REAL},
	[COLUMN_SIGNIFICANT] = {"significant", .type = GRID_BOOL},
	[COLUMN_MATCH] = {"match"},
	[COLUMN_MOVED_FROM] = {"moved_from"},
	[COLUMN_NAME] = {"name"},
	[COLUMN_FUNCTION] = {"function", .type = GRID_FUNCTION, .shrinks = 12, .class = "f"},
	[COLUMN_OBJECT] = {"object", .shrinks = 8, .class = "o"},
	[COLUMN_PATH] = {"path", .shrinks = 12, .class = "o"},
	[COLUMN_FILE] = {"file"},
	[COLUMN_LINE] = {"line", .type = GRID_COUNT},
	[COLUMN_CLASS] = {"class"},
	[COLUMN_BEFORE] = {"before", .type = GRID_REAL},
	[COLUMN_AFTER] = {"after", .type = GRID_REAL},
	[EYES_BEFORE] = {"before", .right = true},
	[EYES_AFTER] = {"after", .right = true},
	[EYES_CHANGE] = {"change", .right = true},
	[EYES_RELATIVE] = {"relative", "", .right = true},
	[EYES_INTERVAL] = {"95 % interval", .right = true, .class = "v"},
	[EYES_PROBABILITY] = {"p  ", .right = true},
	[EYES_LINE] = {"line", .shrinks = 8, .class = "o"},
	[EYES_CALLERS] = {"called by", .shrinks = 16, .class = "o"},
	[EYES_NOTE] = {"note", "", .shrinks = 8, .class = "o"},
};

static const unsigned char in_csv[] = {COLUMN_BEFORE_TICKS, COLUMN_AFTER_TICKS, COLUMN_BEFORE,
				       COLUMN_AFTER,	    COLUMN_CHANGE,	COLUMN_LOW,
				       COLUMN_HIGH,	    COLUMN_PROBABILITY, COLUMN_SIGNIFICANT,
				       COLUMN_MATCH,	    COLUMN_MOVED_FROM,	COLUMN_NAME,
				       COLUMN_FUNCTION,	    COLUMN_OBJECT,	COLUMN_PATH,
				       COLUMN_CLASS,	    COLUMN_BEFORE_INTO, COLUMN_AFTER_INTO,
				       COLUMN_FILE,	    COLUMN_LINE,	0};

/* A function that is inlined has no samples in its row, a line has them all. */
static bool is_inlined(const struct diff_part *part)
{
	return part->inlined && (!part->ticks || part->inlined == part->ticks);
}

static void note_inlining(const struct diff_row *row, char *text, size_t size)
{
	const struct diff_part *before = &row->parts[DIFF_BEFORE], *after = &row->parts[DIFF_AFTER];
	bool was = is_inlined(before), is = is_inlined(after);

	if (is && !before->inlined)
		(void)snprintf(text, size, "now inlined into %s", after->into);
	else if (was && !after->inlined)
		(void)snprintf(text, size, "no longer inlined into %s", before->into);
	else if (was && is && strcmp(before->into, after->into) != 0)
		(void)snprintf(text, size, "inlined into %s, was into %s", after->into,
			       before->into);
}

/* What is to be said of a row besides its numbers: not that it is where it was. */
static void note(const struct diff_row *row, char *text, size_t size)
{
	*text = '\0';
	note_inlining(row, text, size);
	if (*text)
		return;
	if (row->match == DIFF_NEW)
		(void)snprintf(text, size, "new");
	else if (row->match == DIFF_GONE)
		(void)snprintf(text, size, "gone");
	else if (row->match == DIFF_MOVED)
		(void)snprintf(text, size, "moved from %s", row->moved_from);
}

static bool any_note(const struct comparison *comparison)
{
	char text[1024];

	for (size_t i = 0; i < comparison_rows(comparison); i++) {
		note(&comparison->diff->rows[i], text, sizeof(text));
		if (*text)
			return true;
	}
	return false;
}

static void plan_columns(const struct comparison *comparison, struct grid *grid)
{
	enum table_by by = comparison->diff->by;

	if (grid->style->form == REPORT_JSON) {
		grid_add_range(grid, COLUMN_BEFORE_TICKS, COLUMN_CLASS);
		return;
	}
	if (grid->style->form == REPORT_CSV) {
		grid_add_columns(grid, in_csv);
		return;
	}
	grid_add_column(grid, EYES_BEFORE);
	grid_add_column(grid, EYES_AFTER);
	grid_add_column(grid, EYES_CHANGE);
	if (comparison->diff->per != DIFF_PER_TICKS)
		grid_add_column(grid, EYES_RELATIVE);
	if (comparison_has_intervals(comparison)) {
		grid_add_column(grid, EYES_INTERVAL);
		grid_add_column(grid, EYES_PROBABILITY);
	}
	if (by == TABLE_BY_LINE)
		grid_add_column(grid, EYES_LINE);
	if (by != TABLE_BY_OBJECT)
		grid_add_column(grid, COLUMN_FUNCTION);
	if (comparison->diff->by_path)
		grid_add_column(grid, EYES_CALLERS);
	grid_add_column(grid, COLUMN_OBJECT);
	if (by == TABLE_BY_OBJECT)
		grid_add_column(grid, COLUMN_PATH);
	if (any_note(comparison))
		grid_add_column(grid, EYES_NOTE);
}

/* Of one side; its columns are in the same order as the other's. */
static void fill_part(const struct diff_part *part, struct grid_cell *cells)
{
	cells[COLUMN_BEFORE_TICKS].count = part->ticks;
	cells[COLUMN_BEFORE_VALUE].real = part->value;
	cells[COLUMN_BEFORE_INLINED].count = part->inlined;
	cells[COLUMN_BEFORE_INTO].text = part->into;
	cells[COLUMN_BEFORE_ID].text = part->build_id;
}

static void fill(const struct diff_row *row, struct grid_cell *cells)
{
	fill_part(&row->parts[DIFF_BEFORE], cells);
	fill_part(&row->parts[DIFF_AFTER], cells + COLUMN_AFTER_TICKS - COLUMN_BEFORE_TICKS);
	cells[COLUMN_BEFORE].real = row->parts[DIFF_BEFORE].value;
	cells[COLUMN_AFTER].real = row->parts[DIFF_AFTER].value;
	cells[COLUMN_CHANGE].real = row->change;
	cells[COLUMN_LOW].real = row->interval.low;
	cells[COLUMN_HIGH].real = row->interval.high;
	cells[COLUMN_PROBABILITY].real = row->probability;
	cells[COLUMN_SIGNIFICANT].count = row->significant;
	cells[COLUMN_MATCH].text = diff_match_name(row->match);
	cells[COLUMN_MOVED_FROM].text = row->moved_from;
	cells[COLUMN_NAME].text = row->name;
	cells[COLUMN_FUNCTION].text = row->function;
	cells[COLUMN_OBJECT].text = row->object;
	cells[COLUMN_PATH].text = row->path;
	cells[COLUMN_OBJECT].ink = cells[COLUMN_PATH].ink = section_ink(row->class);
	cells[COLUMN_FILE].text = row->file;
	cells[COLUMN_LINE].count = row->line;
	cells[COLUMN_CLASS].text = profile_class_name(row->class);
}

/* What changed is red or green, what may be chance is faint. */
static void fill_for_eyes(const struct comparison *comparison, const struct diff_row *row,
			  const char *callers, struct grid *grid)
{
	const char *ink = !row->significant ? INK_FAINT : row->change > 0 ? INK_SLOWER : INK_FASTER;
	double before = row->parts[DIFF_BEFORE].value, after = row->parts[DIFF_AFTER].value;
	struct text_number relative = comparison_relative(before, row->change);
	struct text_number low = comparison_change(comparison, row->interval.low);
	struct text_number high = comparison_change(comparison, row->interval.high);
	struct grid_cell *cells = grid->cells;
	char text[1024];

	note(row, text, sizeof(text));
	cells[EYES_BEFORE].text =
		grid_format(grid, "%s", comparison_value(comparison, before).text);
	cells[EYES_AFTER].text = grid_format(grid, "%s", comparison_value(comparison, after).text);
	cells[EYES_CHANGE].text =
		grid_format(grid, "%s", comparison_change(comparison, row->change).text);
	cells[EYES_RELATIVE].text = grid_format(grid, "%s", relative.text);
	if (isfinite(row->interval.low))
		cells[EYES_INTERVAL].text =
			grid_format(grid, "%s %s %s", low.text, comparison->marks->to, high.text);
	cells[EYES_PROBABILITY].text =
		grid_format(grid, "%s %s", comparison_probability(row->probability).text,
			    row->significant ? "*" : " ");
	cells[EYES_CHANGE].ink = cells[EYES_RELATIVE].ink = cells[EYES_PROBABILITY].ink = ink;
	cells[EYES_INTERVAL].ink = row->significant ? INK_NONE : INK_FAINT;
	cells[EYES_CALLERS].text = callers;
	cells[EYES_LINE].text = row->line ? row->name : "";
	grid->row.class = !row->significant ? "same" : row->change > 0 ? "more" : "less";
	cells[EYES_NOTE] =
		(struct grid_cell){.text = grid_format(grid, "%s", text), .ink = INK_WARN};
}

int compare_rows_print(const struct comparison *comparison, struct json *json)
{
	const struct report_style *page = &comparison->style->page;
	struct grid_column columns[COLUMNS];
	struct grid grid = {
		.out = comparison->out,
		.style = page,
		.columns = columns,
		.key = "rows",
		.json = json,
	};

	memcpy(columns, usual, sizeof(columns));
	columns[COLUMN_BEFORE_TICKS].key = columns[COLUMN_AFTER_TICKS].key =
		comparison_unit(comparison);
	if (comparison->style->by_reason)
		columns[COLUMN_FUNCTION].title = "reason";
	plan_columns(comparison, &grid);
	grid_begin(&grid);
	for (size_t i = 0; i < comparison_rows(comparison); i++) {
		const struct diff_row *row = &comparison->diff->rows[i];
		char *callers = NULL;

		fill(row, grid.cells);
		if (page->form != REPORT_JSON && page->form != REPORT_CSV) {
			callers = diff_callers(comparison->diff, row);
			fill_for_eyes(comparison, row, callers, &grid);
		}
		grid_row(&grid);
		free(callers);
	}
	return grid_end(&grid);
}
