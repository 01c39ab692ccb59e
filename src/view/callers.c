// SPDX-License-Identifier: BSD-2-Clause
#include "view/callers.h"

#include "analysis/interval.h"
#include "base/array.h"
#include "view/grid.h"
#include "view/page.h"
#include "view/section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum column {
	COLUMN_SHARE = 1, /* of a value that is exact */
	COLUMN_TOTAL,
	COLUMN_SELF,
	COLUMN_CALLS,
	COLUMN_FUNCTION,
	COLUMN_OBJECT,
	COLUMN_CALLER,
	COLUMN_CALLER_OBJECT,
	COLUMN_CALLEE,
	COLUMN_CALLEE_OBJECT,
	COLUMNS,
};

static const struct grid_column usual[COLUMNS] = {
	[COLUMN_SHARE] = {"share", " share", .type = GRID_SHARE},
	[COLUMN_TOTAL] = {"samples", "total", .type = GRID_TICKS},
	[COLUMN_SELF] = {"self", .type = GRID_COUNT},
	[COLUMN_CALLS] = {"calls", .type = GRID_COUNT},
	[COLUMN_FUNCTION] = {"function", .type = GRID_FUNCTION, .shrinks = 16},
	[COLUMN_OBJECT] = {"object", .shrinks = 8},
	[COLUMN_CALLER] = {"caller", .type = GRID_FUNCTION},
	[COLUMN_CALLER_OBJECT] = {"caller_object"},
	[COLUMN_CALLEE] = {"callee", .type = GRID_FUNCTION},
	[COLUMN_CALLEE_OBJECT] = {"callee_object"},
};

static bool is_wanted(const struct callers_page *page, uint32_t function)
{
	return !page->wanted || page->wanted[function];
}

/* ---- for eyes: a paragraph for each function ---- */

static void add_other(struct grid *grid, const struct callers_page *page, const char *how,
		      uint32_t other, const struct tree_arc *arc)
{
	const struct tree_function *function = &page->functions->list[other];
	struct grid_cell *cells = grid->cells;

	cells[COLUMN_TOTAL] = cells[COLUMN_SHARE] =
		(struct grid_cell){.count = arc->total, .ink = INK_FAINT};
	cells[COLUMN_SELF].blank = true;
	cells[COLUMN_CALLS] = (struct grid_cell){.count = arc->calls, .blank = !arc->calls};
	cells[COLUMN_FUNCTION] =
		(struct grid_cell){.text = function->name,
				   .before = how,
				   .behind = function->inlined ? " (inlined)" : NULL,
				   .ink = INK_FAINT};
	cells[COLUMN_OBJECT] = (struct grid_cell){.text = function->object, .ink = INK_FAINT};
	grid_row(grid);
}

static void add_function(struct grid *grid, const struct callers_page *page, uint32_t number)
{
	const struct tree_function *function = &page->functions->list[number];
	struct grid_cell *cells = grid->cells;

	cells[COLUMN_TOTAL].count = cells[COLUMN_SHARE].count = page->tree->sums[number].total;
	cells[COLUMN_SELF].count = page->tree->sums[number].self;
	cells[COLUMN_CALLS].blank = true;
	cells[COLUMN_FUNCTION] =
		(struct grid_cell){.text = function->name,
				   .behind = function->inlined ? " (inlined)" : NULL,
				   .ink = INK_STRONG};
	cells[COLUMN_OBJECT].text = function->object;
	grid_row(grid);
}

/* For COUNT calls that have no rows of their own. */
static void add_rest(struct grid *grid, const char *how, size_t count)
{
	struct grid_cell *cells = grid->cells;

	if (!count)
		return;
	cells[COLUMN_TOTAL].blank = cells[COLUMN_SELF].blank = cells[COLUMN_CALLS].blank = true;
	cells[COLUMN_FUNCTION] =
		(struct grid_cell){.text = grid_format(grid, "%s more", text_count(count).text),
				   .before = how,
				   .ink = INK_FAINT,
				   .plain = true};
	grid_row(grid);
}

/* For FUNCTION, which is one of the two of ARC. */
static bool is_too_little(const struct callers_page *page, uint32_t function,
			  const struct tree_arc *arc)
{
	uint64_t total = page->tree->sums[function].total;

	return (double)arc->total * 1e6 < (double)total * (double)page->min && !arc->calls;
}

static void add_callers(struct grid *grid, const struct callers_page *page, uint32_t function)
{
	const struct tree_arcs *arcs = page->arcs;
	const struct tree_arc *list = arcs->list;
	size_t in = ARRAY_FIRST_NOT(i, arcs->count, list[arcs->incoming[i]].callee < function);
	size_t rest = 0;

	for (; in < arcs->count && list[arcs->incoming[in]].callee == function; in++)
		if (is_too_little(page, function, &list[arcs->incoming[in]]))
			rest++;
		else
			add_other(grid, page, "  by ", list[arcs->incoming[in]].caller,
				  &list[arcs->incoming[in]]);
	add_rest(grid, "  by ", rest);
}

static void add_callees(struct grid *grid, const struct callers_page *page, uint32_t function)
{
	const struct tree_arcs *arcs = page->arcs;
	const struct tree_arc *list = arcs->list;
	size_t out = ARRAY_FIRST_NOT(i, arcs->count, list[i].caller < function), rest = 0;

	for (; out < arcs->count && list[out].caller == function; out++)
		if (is_too_little(page, function, &list[out]))
			rest++;
		else
			add_other(grid, page, "  calls ", list[out].callee, &list[out]);
	add_rest(grid, "  calls ", rest);
}

static void add_entry(struct grid *grid, const struct callers_page *page, uint32_t function)
{
	if (page->callers)
		add_callers(grid, page, function);
	add_function(grid, page, function);
	if (page->callees)
		add_callees(grid, page, function);
}

static int compare(const void *left, const void *right, void *context)
{
	const struct tree_sum *sums = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	ARRAY_COMPARE(sums[b].total, sums[a].total);
	ARRAY_COMPARE(sums[b].self, sums[a].self);
	ARRAY_COMPARE(a, b);
	return 0;
}

/* The functions that have entries, most total first. */
static uint32_t *choose(const struct callers_page *page, size_t *ret_count)
{
	uint32_t cut = tree_functions_cut(page->functions);
	uint32_t *chosen = calloc(page->functions->count, sizeof(*chosen));
	size_t count = 0;

	if (!chosen)
		return NULL;
	for (uint32_t i = 0; i < cut; i++)
		if (page->tree->sums[i].total && is_wanted(page, i))
			chosen[count++] = i;
	ARRAY_SORT_BY(chosen, count, compare, page->tree->sums);
	*ret_count = count;
	return chosen;
}

static int add_entries(const struct section *section, const struct callers_page *page,
		       struct grid *grid)
{
	size_t count, limit = section->style->rows;
	uint32_t *chosen = choose(page, &count);
	int ret;

	if (!chosen)
		return -ENOMEM;
	grid_begin(grid);
	for (size_t i = 0; i < count && (!limit || i < limit); i++) {
		if (i) {
			grid->cells[COLUMN_TOTAL].blank = grid->cells[COLUMN_SELF].blank = true;
			grid->cells[COLUMN_CALLS].blank = true;
			grid_row(grid);
		}
		add_entry(grid, page, chosen[i]);
	}
	free(chosen);
	ret = grid_end(grid);
	if (ret >= 0 && limit && count > limit)
		(void)fprintf(section->out, "   ...  and %s (-n 0)\n",
			      text_many(count - limit, "more function").text);
	return ret;
}

static int print_text(const struct section *section, const struct callers_page *page,
		      struct grid *grid)
{
	int ret = head_print(section);

	grid_add_range(grid, section->value ? COLUMN_SHARE : COLUMN_TOTAL, COLUMN_SELF);
	if (page->profile->call_count)
		grid_add_column(grid, COLUMN_CALLS);
	grid_add_range(grid, COLUMN_FUNCTION, COLUMN_OBJECT);
	if (ret >= 0)
		ret = add_entries(section, page, grid);
	if (ret < 0)
		return ret;
	(void)fputc('\n', section->out);
	paths_print(section);
	account_print(section, /* intervals= */ true);
	return notes_print(section);
}

/* ---- for programs: a row for each call ---- */

static int print_rows(const struct callers_page *page, struct grid *grid)
{
	const struct tree_function *list = page->functions->list;

	grid_add_column(grid, COLUMN_TOTAL);
	if (page->profile->call_count)
		grid_add_column(grid, COLUMN_CALLS);
	grid_add_range(grid, COLUMN_CALLER, COLUMN_CALLEE_OBJECT);
	grid_begin(grid);
	for (size_t i = 0; i < page->arcs->count; i++) {
		const struct tree_arc *arc = &page->arcs->list[i];

		if (!(page->callers && is_wanted(page, arc->callee)) &&
		    !(page->callees && is_wanted(page, arc->caller)))
			continue;
		grid->cells[COLUMN_TOTAL].count = arc->total;
		grid->cells[COLUMN_CALLS].count = arc->calls;
		grid->cells[COLUMN_CALLER].text = list[arc->caller].name;
		grid->cells[COLUMN_CALLER_OBJECT].text = list[arc->caller].object;
		grid->cells[COLUMN_CALLEE].text = list[arc->callee].name;
		grid->cells[COLUMN_CALLEE_OBJECT].text = list[arc->callee].object;
		grid_row(grid);
	}
	return grid_end(grid);
}

static uint64_t total_of(const struct callers_page *page)
{
	struct profile_account account;

	profile_account(page->profile, &account);
	return account.total;
}

static void name_value(const struct section *section, struct grid_column *columns)
{
	enum grid_type type = section->is_time ? GRID_TIME : GRID_COUNT;

	columns[COLUMN_TOTAL] =
		(struct grid_column){section_unit(section), section->value, .type = type};
	columns[COLUMN_SELF].type = type;
}

static int print_page(const struct section *section, const void *context)
{
	const struct callers_page *page = context;
	struct json json = {.out = section->out};
	struct grid_column columns[COLUMNS];
	struct grid grid = {
		.out = section->out,
		.style = section->style,
		.columns = columns,
		.total = total_of(page),
		.key = "calls",
		.json = &json,
	};
	int ret;

	memcpy(columns, usual, sizeof(columns));
	if (section->value)
		name_value(section, columns);
	if (section->style->form == REPORT_TEXT)
		return print_text(section, page, &grid);
	if (section->style->form != REPORT_JSON)
		return print_rows(page, &grid);
	json_head(section, &json);
	if (section->value)
		json_add_string(&json, "value", section->value);
	paths_json(section, &json);
	ret = print_rows(page, &grid);
	json_close(&json);
	return ret;
}

int callers_print(FILE *out, const struct callers_page *page, const struct report_style *style)
{
	struct section section = section_of(out, page->profile, style);

	if (section.value)
		section.account = page->account;
	return page_print(&section, print_page, page);
}
