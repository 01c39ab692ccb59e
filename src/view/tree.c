// SPDX-License-Identifier: BSD-2-Clause
#include "view/tree.h"

#include "analysis/interval.h"
#include "view/grid.h"
#include "view/page.h"
#include "view/section.h"

#include <stdlib.h>
#include <string.h>

/* So many calls are drawn as steps to the right; from there on their number is said. */
#define STEPS_MAX 24

enum column {
	COLUMN_TOTAL = 1,
	COLUMN_SELF,
	COLUMN_DEPTH,
	COLUMN_FUNCTION,
	COLUMN_OBJECT,
	COLUMN_PATH,
	COLUMN_CLASS,
	COLUMN_MORE,
	COLUMNS,
};

static const struct grid_column usual[COLUMNS] = {
	[COLUMN_TOTAL] = {"samples", "total", .type = GRID_TICKS},
	[COLUMN_SELF] = {"self", .type = GRID_COUNT},
	[COLUMN_DEPTH] = {"depth", .type = GRID_COUNT},
	[COLUMN_FUNCTION] = {"function", .type = GRID_FUNCTION, .shrinks = 16},
	[COLUMN_OBJECT] = {"object", .shrinks = 8},
	[COLUMN_PATH] = {"path"},
	[COLUMN_CLASS] = {"class"},
	[COLUMN_MORE] = {"more", .type = GRID_COUNT},
};

struct printing {
	const struct section *section;
	const struct tree_page *page;
	struct grid *grid;
	bool is_data; /* for programs: nothing is drawn */
};

/* How far to the right a row stands. */
static const char *steps(struct printing *printing, uint32_t depth)
{
	struct grid *grid = printing->grid;
	unsigned shown = depth < STEPS_MAX ? depth : STEPS_MAX;
	bool markdown = printing->section->style->form == REPORT_MARKDOWN;
	char text[STEPS_MAX * sizeof("&emsp;")] = "";

	for (unsigned i = 0; i < shown; i++)
		memcpy(text + i * (markdown ? 6 : 2), markdown ? "&emsp;" : "  ", markdown ? 7 : 3);
	if (depth > shown)
		return grid_format(grid, "%s(+%u) ", text, depth - shown);
	return grid_format(grid, "%s", text);
}

static void add_node(struct printing *printing, const struct tree_node *node)
{
	const struct tree_page *page = printing->page;
	const struct tree_function *function = &page->functions->list[node->function];
	bool cut = node->function == tree_functions_cut(page->functions);
	struct grid_cell *cells = printing->grid->cells;

	cells[COLUMN_TOTAL].count = node->total;
	cells[COLUMN_SELF] = (struct grid_cell){.count = node->self, .blank = page->reverse};
	cells[COLUMN_DEPTH].count = node->depth;
	cells[COLUMN_FUNCTION] = (struct grid_cell){.text = function->name, .plain = cut};
	cells[COLUMN_OBJECT] =
		(struct grid_cell){.text = function->object, .ink = section_ink(function->class)};
	cells[COLUMN_PATH].text = function->path;
	cells[COLUMN_CLASS].text = cut ? "" : profile_class_name(function->class);
	cells[COLUMN_MORE].blank = true;
	if (!printing->is_data)
		cells[COLUMN_FUNCTION].before = steps(printing, node->depth);
	grid_row(printing->grid);
}

/* One row for NODE and the siblings behind it, which have as few samples or fewer.  Returns the
 * node behind them. */
static uint32_t add_rest(struct printing *printing, uint32_t index)
{
	const struct tree *tree = printing->page->tree;
	uint32_t parent = tree->nodes[index].parent, depth = tree->nodes[index].depth;
	uint32_t end = parent == TREE_NONE ? (uint32_t)tree->node_count : tree->nodes[parent].end;
	struct grid_cell *cells = printing->grid->cells;
	uint64_t total = 0, count = 0;

	for (; index < end; index = tree->nodes[index].end, count++)
		total = ticks_add(total, tree->nodes[index].total);
	cells[COLUMN_TOTAL] = (struct grid_cell){.count = total, .ink = INK_FAINT};
	cells[COLUMN_SELF].blank = true;
	cells[COLUMN_DEPTH].count = depth;
	cells[COLUMN_MORE].count = count;
	cells[COLUMN_FUNCTION] = (struct grid_cell){
		.text = printing->is_data
				? NULL
				: grid_format(printing->grid, "%s more", text_count(count).text),
		.ink = INK_FAINT,
		.plain = true,
	};
	if (!printing->is_data)
		cells[COLUMN_FUNCTION].before = steps(printing, depth);
	grid_row(printing->grid);
	return end;
}

static void add_nodes(struct printing *printing)
{
	const struct tree_page *page = printing->page;
	const struct tree *tree = page->tree;
	uint32_t i = 0;

	while (i < tree->node_count) {
		const struct tree_node *node = &tree->nodes[i];

		if (node->total < page->min) {
			i = add_rest(printing, i);
			continue;
		}
		add_node(printing, node);
		i = page->depth && node->depth + 1 >= page->depth ? node->end : i + 1;
	}
}

static int print_grid(const struct section *section, const struct tree_page *page,
		      struct json *json)
{
	enum report_form form = section->style->form;
	struct grid_column columns[COLUMNS];
	struct grid grid = {
		.out = section->out,
		.style = section->style,
		.columns = columns,
		.total = page->tree->total,
		.key = "rows",
		.json = json,
	};
	struct printing printing = {section, page, &grid,
				    .is_data = form == REPORT_JSON || form == REPORT_CSV};

	memcpy(columns, usual, sizeof(columns));
	if (!printing.is_data && section->ranks)
		columns[COLUMN_SELF].type = GRID_SHARE;
	grid_add_column(&grid, COLUMN_TOTAL);
	if (!page->reverse)
		grid_add_column(&grid, COLUMN_SELF);
	if (printing.is_data)
		grid_add_range(&grid, COLUMN_DEPTH, COLUMN_MORE);
	else
		grid_add_range(&grid, COLUMN_FUNCTION, COLUMN_OBJECT);
	grid_begin(&grid);
	add_nodes(&printing);
	return grid_end(&grid);
}

static int print_json(const struct section *section, const struct tree_page *page)
{
	struct json json = {.out = section->out};
	int ret;

	json_head(section, &json);
	json_add_bool(&json, "reverse", page->reverse);
	json_add_count(&json, "total", page->tree->total);
	json_add_count(&json, "shown", page->tree->shown);
	json_add_bool(&json, "enough", section->ranks);
	paths_json(section, &json);
	ret = print_grid(section, page, &json);
	json_close(&json);
	return ret;
}

static void print_filtered(const struct section *section, const struct tree *tree)
{
	if (tree->shown == tree->total)
		return;
	(void)fprintf(section->out, "%s of %s samples (%s) are in the paths asked for\n%s",
		      text_count(tree->shown).text, text_count(tree->total).text,
		      text_share((double)tree->shown / (double)tree->total).text,
		      section->style->form == REPORT_MARKDOWN ? "\n" : "");
}

static int print_text(const struct section *section, const struct tree_page *page)
{
	int ret = head_print(section);

	if (ret >= 0)
		ret = print_grid(section, page, NULL);
	if (ret < 0)
		return ret;
	print_filtered(section, page->tree);
	(void)fputc('\n', section->out);
	paths_print(section);
	account_print(section);
	return notes_print(section);
}

static int print_markdown(const struct section *section, const struct tree_page *page)
{
	int ret = print_grid(section, page, NULL);

	(void)fputc('\n', section->out);
	print_filtered(section, page->tree);
	paths_print(section);
	return ret;
}

static int print_form(const struct section *section, const void *context)
{
	switch (section->style->form) {
	case REPORT_TEXT:
		return print_text(section, context);
	case REPORT_JSON:
		return print_json(section, context);
	case REPORT_MARKDOWN:
		return print_markdown(section, context);
	default:
		return print_grid(section, context, NULL);
	}
}

int tree_print(FILE *out, const struct tree_page *page, const struct report_style *style)
{
	const struct section section = section_of(out, page->profile, style);

	return page_print(&section, print_form, page);
}
