// SPDX-License-Identifier: BSD-2-Clause
#include "view/tree.h"

#include "analysis/interval.h"
#include "base/array.h"
#include "view/grid.h"
#include "view/page.h"
#include "view/section.h"
#include "view/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* So many branches are drawn in each other; from there on their number is said.  On a narrow page
 * they take a quarter of it. */
#define BRANCHES_MAX 24

/* Columns of a page that has room for intervals beside a tree. */
#define WIDE 100

enum column {
	COLUMN_SHARE = 1, /* of a value that is exact */
	COLUMN_TOTAL,
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
	[COLUMN_SHARE] = {"share", " share", .type = GRID_SHARE},
	[COLUMN_TOTAL] = {"samples", "total", .type = GRID_TICKS},
	[COLUMN_SELF] = {"self", .type = GRID_COUNT},
	[COLUMN_DEPTH] = {"depth", .type = GRID_COUNT},
	[COLUMN_FUNCTION] = {"function", .type = GRID_FUNCTION, .shrinks = 16},
	[COLUMN_OBJECT] = {"object", .shrinks = 8},
	[COLUMN_PATH] = {"path"},
	[COLUMN_CLASS] = {"class"},
	[COLUMN_MORE] = {"more", .type = GRID_COUNT},
};

/* Where what a function called stands.  A single call stands right below it, so that a chain of
 * calls goes straight down; several are branches, a step to the right. */
struct calls {
	uint32_t branch; /* so many branches are they in */
	uint32_t last;	 /* the node that the last of their rows begins with */
	bool forks;	 /* each is a branch of its own */
};

struct printing {
	const struct section *section;
	const struct tree_page *page;
	struct grid *grid;
	bool is_data;	       /* for programs: nothing is drawn, and nothing left out */
	struct calls *calls;   /* of what is on the way to the row at hand, by depth; [0]: roots */
	size_t calls_capacity; /* zeroed room */
	bool is_last[BRANCHES_MAX + 1]; /* of each branch around it */
	uint64_t left_out;		/* samples */
};

static uint32_t end_of(const struct printing *printing, uint32_t parent)
{
	const struct tree *tree = printing->page->tree;

	return parent == TREE_NONE ? (uint32_t)tree->node_count : tree->nodes[parent].end;
}

/* What is below PARENT, and how many rows it makes. */
static int open_calls(struct printing *printing, uint32_t parent, uint32_t depth)
{
	const struct tree_node *nodes = printing->page->tree->nodes;
	uint32_t i = parent + 1, end = end_of(printing, parent), rows = 0;
	struct calls calls = {.last = TREE_NONE};
	uint64_t rest = 0;

	if (ARRAY_RESERVE(printing->calls, printing->calls_capacity, depth + 1U))
		return -ENOMEM;
	for (; i < end && nodes[i].total >= printing->page->min; i = nodes[i].end, rows++)
		calls.last = i;
	for (uint32_t j = i; j < end && rest < printing->page->min; j = nodes[j].end)
		rest = ticks_add(rest, nodes[j].total);
	if (i < end && (printing->is_data || rest >= printing->page->min)) {
		calls.last = i;
		rows++;
	}
	calls.forks = rows > 1;
	calls.branch = (depth ? printing->calls[depth - 1].branch : 0) + calls.forks;
	printing->calls[depth] = calls;
	return 0;
}

/* What stands before the name of the row that begins with node INDEX. */
static const char *drawing(struct printing *printing, uint32_t index)
{
	const struct report_style *style = printing->section->style;
	const struct calls *calls = &printing->calls[printing->page->tree->nodes[index].depth];
	const struct marks *marks = text_marks(style->utf8);
	unsigned most =
		style->width && style->width / 8 < BRANCHES_MAX ? style->width / 8 : BRANCHES_MAX;
	char text[(BRANCHES_MAX + 1) * sizeof("&emsp;")], *at = text;
	unsigned shown = calls->branch < most ? calls->branch : most;

	*text = '\0';
	if (calls->forks && calls->branch <= BRANCHES_MAX)
		printing->is_last[calls->branch] = index == calls->last;
	for (unsigned i = 1; i <= shown; i++) {
		bool begins = calls->forks && i == calls->branch, last = printing->is_last[i];

		if (style->form == REPORT_MARKDOWN)
			at = stpcpy(at, begins ? "- " : "&emsp;");
		else if (begins)
			at = stpcpy(stpcpy(at, last ? marks->last : marks->fork), " ");
		else
			at = stpcpy(stpcpy(at, last ? " " : marks->line), " ");
	}
	if (calls->branch > shown)
		return grid_format(printing->grid, "%s(+%u) ", text, calls->branch - shown);
	return grid_format(printing->grid, "%s", text);
}

static void add_node(struct printing *printing, uint32_t index)
{
	const struct tree_page *page = printing->page;
	const struct tree_node *node = &page->tree->nodes[index];
	const struct tree_function *function = &page->functions->list[node->function];
	bool cut = node->function == tree_functions_cut(page->functions);
	struct grid_cell *cells = printing->grid->cells;

	cells[COLUMN_TOTAL].count = cells[COLUMN_SHARE].count = node->total;
	cells[COLUMN_SELF] = (struct grid_cell){.count = node->self, .blank = page->reverse};
	cells[COLUMN_DEPTH].count = node->depth;
	cells[COLUMN_FUNCTION] = (struct grid_cell){
		.text = function->name,
		.plain = cut,
		.ink = cut ? NULL : section_ink(function->class),
	};
	cells[COLUMN_OBJECT] =
		(struct grid_cell){.text = function->object, .ink = section_ink(function->class)};
	cells[COLUMN_PATH].text = function->path;
	cells[COLUMN_CLASS].text = cut ? "" : profile_class_name(function->class);
	cells[COLUMN_MORE].blank = true;
	if (!printing->is_data) {
		cells[COLUMN_FUNCTION].before = drawing(printing, index);
		cells[COLUMN_FUNCTION].behind = function->inlined ? " (inlined)" : NULL;
	}
	grid_row(printing->grid);
}

/* One row for NODE and the siblings behind it, which have as few samples or fewer; none if they
 * have too few together.  Returns the node behind them. */
static uint32_t add_rest(struct printing *printing, uint32_t index)
{
	const struct tree *tree = printing->page->tree;
	uint32_t first = index, end = end_of(printing, tree->nodes[index].parent);
	uint32_t depth = tree->nodes[index].depth;
	struct grid_cell *cells = printing->grid->cells;
	uint64_t total = 0, count = 0;

	for (; index < end; index = tree->nodes[index].end, count++)
		total = ticks_add(total, tree->nodes[index].total);
	if (printing->calls[depth].last != first) {
		printing->left_out = ticks_add(printing->left_out, total);
		return end;
	}
	cells[COLUMN_TOTAL] = cells[COLUMN_SHARE] =
		(struct grid_cell){.count = total, .ink = INK_FAINT};
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
		cells[COLUMN_FUNCTION].before = drawing(printing, first);
	grid_row(printing->grid);
	return end;
}

static int add_nodes(struct printing *printing)
{
	const struct tree_page *page = printing->page;
	const struct tree *tree = page->tree;
	int ret = open_calls(printing, TREE_NONE, /* depth= */ 0);
	uint32_t i = 0;

	while (ret >= 0 && i < tree->node_count) {
		const struct tree_node *node = &tree->nodes[i];

		if (node->total < page->min) {
			i = add_rest(printing, i);
			continue;
		}
		add_node(printing, i);
		if (page->depth && node->depth + 1 >= page->depth) {
			i = node->end;
			continue;
		}
		ret = open_calls(printing, i++, node->depth + 1);
	}
	return ret;
}

static bool is_narrow(const struct section *section)
{
	return section->style->width && section->style->width < WIDE;
}

/* *RET_LEFT_OUT are the samples that no row has. */
static int print_grid(const struct section *section, const struct tree_page *page,
		      struct json *json, uint64_t *ret_left_out)
{
	enum report_form form = section->style->form;
	struct grid_column columns[COLUMNS];
	struct grid grid = {
		.out = section->out,
		.style = section->style,
		.columns = columns,
		.total = page->tree->total,
		.no_interval = is_narrow(section),
		.key = "rows",
		.json = json,
	};
	struct printing printing = {section, page, &grid,
				    .is_data = form == REPORT_JSON || form == REPORT_CSV};
	int ret;

	memcpy(columns, usual, sizeof(columns));
	if (section->value)
		columns[COLUMN_TOTAL] =
			(struct grid_column){section_unit(section), "total",
					     .type = section->is_time ? GRID_TIME : GRID_COUNT};
	if (!printing.is_data && (section->ranks || section->value))
		columns[COLUMN_SELF].type = GRID_SHARE;
	if (section->value && !printing.is_data)
		grid_add_column(&grid, COLUMN_SHARE);
	grid_add_column(&grid, COLUMN_TOTAL);
	if (!page->reverse)
		grid_add_column(&grid, COLUMN_SELF);
	if (printing.is_data)
		grid_add_range(&grid, COLUMN_DEPTH, COLUMN_MORE);
	else
		grid_add_range(&grid, COLUMN_FUNCTION, COLUMN_OBJECT);
	grid_begin(&grid);
	ret = add_nodes(&printing);
	free(printing.calls);
	*ret_left_out = printing.left_out;
	return grid_end(&grid) < 0 ? -ENOMEM : ret;
}

static int print_json(const struct section *section, const struct tree_page *page)
{
	struct json json = {.out = section->out};
	uint64_t left_out;
	int ret;

	json_head(section, &json);
	json_add_bool(&json, "reverse", page->reverse);
	if (section->value)
		json_add_string(&json, "value", section->value);
	json_add_count(&json, "total", page->tree->total);
	json_add_count(&json, "shown", page->tree->shown);
	json_add_bool(&json, "enough", section->ranks);
	paths_json(section, &json);
	ret = print_grid(section, page, &json, &left_out);
	json_close(&json);
	return ret;
}

/* What the rows do not have. */
static void print_missing(const struct section *section, const struct tree *tree, uint64_t left_out)
{
	const char *end = section->style->form == REPORT_MARKDOWN ? "\n" : "";
	const char *what = section->value ? section->value : "samples";

	if (tree->shown != tree->total)
		(void)fprintf(section->out, "%s of %s %s (%s) are in the paths asked for\n%s",
			      section_amount(section, tree->shown).text,
			      section_amount(section, tree->total).text, what,
			      text_share((double)tree->shown / (double)tree->total).text, end);
	if (left_out)
		(void)fprintf(section->out, "%s of %s %s (%s) are in smaller branches (--min)\n%s",
			      section_amount(section, left_out).text,
			      section_amount(section, tree->shown).text, what,
			      text_share((double)left_out / (double)tree->shown).text, end);
}

static int print_text(const struct section *section, const struct tree_page *page)
{
	uint64_t left_out;
	int ret = head_print(section);

	if (ret >= 0)
		ret = print_grid(section, page, NULL, &left_out);
	if (ret < 0)
		return ret;
	print_missing(section, page->tree, left_out);
	(void)fputc('\n', section->out);
	paths_print(section);
	paths_print_reasons(section);
	account_print(section, !is_narrow(section));
	return notes_print(section);
}

static int print_markdown(const struct section *section, const struct tree_page *page)
{
	uint64_t left_out;
	int ret = print_grid(section, page, NULL, &left_out);

	if (ret < 0)
		return ret;
	(void)fputc('\n', section->out);
	print_missing(section, page->tree, left_out);
	paths_print(section);
	paths_print_reasons(section);
	return ret;
}

static int print_form(const struct section *section, const void *context)
{
	uint64_t left_out;

	switch (section->style->form) {
	case REPORT_TEXT:
		return print_text(section, context);
	case REPORT_JSON:
		return print_json(section, context);
	case REPORT_MARKDOWN:
		return print_markdown(section, context);
	default:
		return print_grid(section, context, NULL, &left_out);
	}
}

int tree_print(FILE *out, const struct tree_page *page, const struct report_style *style)
{
	struct section section = section_of(out, page->profile, style);

	if (section.value) {
		section.account = page->account;
		section.ranks = section.account.total >= EVIDENCE_FLOOR;
	}
	return page_print(&section, print_form, page);
}
