// SPDX-License-Identifier: BSD-2-Clause
#include "view/calls.h"

#include "analysis/interval.h"
#include "view/grid.h"
#include "view/page.h"
#include "view/section.h"

#include <string.h>

enum column {
	COLUMN_TICKS = 1,
	COLUMN_CALLS,
	COLUMN_FUNCTION,
	COLUMN_OBJECT,
};

static const struct grid_column columns[] = {
	[COLUMN_TICKS] = {"samples", .type = GRID_TICKS},
	[COLUMN_CALLS] = {"calls", .type = GRID_COUNT},
	[COLUMN_FUNCTION] = {"function", .type = GRID_FUNCTION, .shrinks = 16},
	[COLUMN_OBJECT] = {"object", .shrinks = 8},
};

static bool passes(const struct calls_page *page, const struct callgraph_node *node)
{
	if (!node->ticks && !node->calls && !node->self_calls && !node->count)
		return false;
	if (page->object && strcmp(page->object, node->object) != 0 &&
	    strcmp(page->object, node->path) != 0)
		return false;
	return !page->function || !regexec(page->function, node->name, 0, NULL, 0);
}

/* A caller or what is called; NODE NULL: it is not known. */
static void add_other(struct grid *grid, const char *how, const struct callgraph_node *node,
		      uint64_t count)
{
	struct grid_cell *cells = grid->cells;

	cells[COLUMN_TICKS].blank = true;
	cells[COLUMN_CALLS].count = count;
	cells[COLUMN_FUNCTION].before = how;
	cells[COLUMN_FUNCTION].text = node ? node->name : "what is not known";
	cells[COLUMN_OBJECT].text = node ? node->object : "";
	for (int i = COLUMN_CALLS; i <= COLUMN_OBJECT; i++)
		cells[i].ink = INK_FAINT;
	grid_row(grid);
}

static void add_node(struct grid *grid, const struct callgraph_node *node)
{
	uint64_t calls = ticks_add(node->calls, node->self_calls);
	struct grid_cell *cells = grid->cells;

	cells[COLUMN_TICKS].count = node->ticks;
	cells[COLUMN_CALLS] = (struct grid_cell){.count = calls, .blank = !calls};
	cells[COLUMN_FUNCTION] = (struct grid_cell){.text = node->name, .ink = INK_STRONG};
	cells[COLUMN_OBJECT].text = node->object;
	grid_row(grid);
}

static void add_entry(struct grid *grid, const struct callgraph *graph,
		      const struct callgraph_node *node)
{
	for (uint32_t i = 0; i < node->in_count; i++) {
		const struct callgraph_arc *arc = &graph->arcs[graph->incoming[node->first_in + i]];

		add_other(grid, "  by ", &graph->nodes[arc->caller], arc->count);
	}
	if (node->unknown_calls)
		add_other(grid, "  by ", NULL, node->unknown_calls);
	if (node->self_calls)
		add_other(grid, "  by ", node, node->self_calls);
	add_node(grid, node);
	for (uint32_t i = 0; i < node->count; i++) {
		const struct callgraph_arc *arc = &graph->arcs[node->first + i];

		add_other(grid, "  calls ", &graph->nodes[arc->callee], arc->count);
	}
}

static int print_entries(const struct section *section, const struct calls_page *page)
{
	const struct callgraph *graph = page->graph;
	size_t limit = section->style->rows, shown = 0;
	struct grid grid = {
		.out = section->out,
		.style = section->style,
		.columns = columns,
		.total = section->account.total,
	};
	int ret;

	grid_add_range(&grid, COLUMN_TICKS, COLUMN_OBJECT);
	grid_begin(&grid);
	for (size_t i = 0; i < graph->node_count; i++) {
		if (!passes(page, &graph->nodes[i]) || (shown++ >= limit && limit))
			continue;
		if (shown > 1) {
			grid.cells[COLUMN_TICKS].blank = grid.cells[COLUMN_CALLS].blank = true;
			grid_row(&grid);
		}
		add_entry(&grid, graph, &graph->nodes[i]);
	}
	ret = grid_end(&grid);
	if (ret < 0)
		return ret;
	if (limit && shown > limit)
		(void)fprintf(section->out, "   ...  and %s (-n 0)\n",
			      text_many(shown - limit, "more function").text);
	(void)fprintf(section->out, "\n%s, counted by the program\n",
		      text_many(page->graph->calls, "call").text);
	return 0;
}

static int print_page(const struct section *section, const void *context)
{
	int ret = head_print(section);

	if (ret >= 0)
		ret = print_entries(section, context);
	if (ret < 0)
		return ret;
	account_print(section, /* intervals= */ true);
	return notes_print(section);
}

int calls_print(FILE *out, const struct calls_page *page, const struct report_style *style)
{
	const struct section section = section_of(out, page->profile, style);

	return page_print(&section, print_page, page);
}
