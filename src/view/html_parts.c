// SPDX-License-Identifier: BSD-2-Clause
#include "view/html_section.h"

#include "analysis/table_labels.h"
#include "base/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What parts.js draws the flame graph of: the call tree of all samples, and of each process,
 * thread, CPU and control group that the profile keeps apart, as JSON. */

#define ROWS 30	      /* of one table have a tree each, the others one together */
#define RECORDS 30000 /* in all trees together */
#define FINE 5000     /* what is less than one part of so many is added up */
/* Numbers of JavaScript are exact up to here. */
#define EXACT (UINT64_C(1) << 53)

struct parts {
	const struct html_view *view;
	struct json json;
	uint32_t *numbers; /* of each function: its number on the page and 1; 0: it has none */
	uint32_t *named;   /* of each number its function, and */
	struct heat_color *colors;
	uint32_t named_count;
	uint64_t *seen; /* of each function: its samples in the nodes of the tree that are there */
	uint32_t *open; /* of each function: how often it is on the way to a node */
	struct profile_cell *cells;
	uint32_t budget; /* records of one tree */
};

/* TEXT as it stands in every other graph: on one line, whatever is in it. */
static void add_text(struct parts *parts, const char *name, const char *text)
{
	char *clean = strdup(text);

	if (clean)
		text_clean_utf8(clean);
	json_add_string(&parts->json, name, clean ? clean : "?");
	free(clean);
}

static bool is_fine(const struct tree *tree, uint32_t node, uint32_t parts)
{
	return (double)tree->nodes[node].total * parts < (double)tree->shown;
}

/* Behind the siblings of NODE. */
static uint32_t siblings_end(const struct tree *tree, uint32_t node)
{
	uint32_t parent = tree->nodes[node].parent;

	return parent == TREE_NONE ? (uint32_t)tree->node_count : tree->nodes[parent].end;
}

static uint32_t count_records(const struct tree *tree, uint32_t parts)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < tree->node_count; count++)
		i = is_fine(tree, i, parts) ? siblings_end(tree, i) : i + 1;
	return count;
}

static uint32_t number_of(struct parts *parts, const struct flame *flame, uint32_t node)
{
	const struct flame_box box = {.node = node, .total = flame->tree->nodes[node].total};
	uint32_t function = flame->tree->nodes[node].function;

	if (!parts->numbers[function]) {
		parts->colors[parts->named_count] = flame->meaning->color(flame, &box);
		parts->named[parts->named_count++] = function;
		parts->numbers[function] = parts->named_count;
	}
	return parts->numbers[function] - 1;
}

/* FUNCTION: its number on the page, or negative: so many nodes that are added up. */
static void add_record(struct parts *parts, uint32_t depth, int64_t function, uint64_t total)
{
	json_add_count(&parts->json, NULL, depth);
	json_add_integer(&parts->json, NULL, function);
	json_add_count(&parts->json, NULL, total);
}

/* Node INDEX and the siblings behind it as one: how many there are, and their samples.  Returns
 * the node behind them. */
static uint32_t add_rest(struct parts *parts, const struct tree *tree, uint32_t index)
{
	uint32_t end = siblings_end(tree, index), depth = tree->nodes[index].depth;
	uint64_t total = 0;
	int64_t more = 0;

	for (; index < end; index = tree->nodes[index].end, more++)
		total += tree->nodes[index].total;
	add_record(parts, depth, -more, total);
	return end;
}

/* Each node, a caller before what it called.  One alone has its name however small it is. */
static void add_nodes(struct parts *parts, const struct flame *flame, uint32_t fine)
{
	const struct tree *tree = flame->tree;
	uint32_t last = TREE_NONE;

	json_open_list(&parts->json, "nodes", /* lines= */ false);
	for (uint32_t i = 0; i < tree->node_count;) {
		const struct tree_node *node = &tree->nodes[i];

		bool is_small = is_fine(tree, i, fine);

		if (is_small && node->end < siblings_end(tree, i)) {
			i = add_rest(parts, tree, i);
			continue;
		}
		for (; last != node->parent; last = tree->nodes[last].parent)
			parts->open[tree->nodes[last].function]--;
		if (!parts->open[node->function]++)
			parts->seen[node->function] += node->total;
		add_record(parts, node->depth, number_of(parts, flame, i), node->total);
		if (is_small && node->end > i + 1)
			add_record(parts, node->depth + 1, (int64_t)i + 1 - node->end,
				   node->total - node->self);
		last = i;
		i = is_small ? node->end : i + 1;
	}
	for (; last != TREE_NONE; last = tree->nodes[last].parent)
		parts->open[tree->nodes[last].function]--;
	json_close(&parts->json);
}

/* Of functions that have nodes: what they have beyond these, so that their sums are those of the
 * table. */
static void add_hidden(struct parts *parts, const struct tree *tree)
{
	json_open_list(&parts->json, "hidden", /* lines= */ false);
	for (uint32_t i = 0; i < parts->named_count; i++) {
		uint32_t function = parts->named[i];
		uint64_t seen = parts->seen[function], total = tree->sums[function].total;

		parts->seen[function] = 0;
		if (!seen || total == seen)
			continue;
		json_add_count(&parts->json, NULL, i);
		json_add_count(&parts->json, NULL, total - seen);
	}
	json_close(&parts->json);
}

static void add_tree(struct parts *parts, const struct tree *tree, const char *way,
		     const char *name)
{
	struct flame flame = *parts->view->flame;
	uint32_t fine = FINE;

	flame.tree = tree;
	while (fine > 1 && count_records(tree, fine) > parts->budget)
		fine /= 2;
	json_open_object(&parts->json, NULL, /* lines= */ false);
	json_add_string(&parts->json, "way", way);
	add_text(parts, "name", name);
	json_add_count(&parts->json, "total", tree->shown);
	add_nodes(parts, &flame, fine);
	add_hidden(parts, tree);
	json_close(&parts->json);
}

/* The tree of the cells in row ROW of TABLE, or from it on. */
static int add_row(struct parts *parts, const struct table *table, uint32_t row, const char *name)
{
	struct profile part = *parts->view->profile;
	struct tree *tree;
	int ret;

	part.cells = parts->cells;
	part.cell_count = 0;
	for (size_t i = 0; i < parts->view->profile->cell_count; i++)
		if (table->of_cell[i] == row || (row == ROWS && table->of_cell[i] > row))
			part.cells[part.cell_count++] = parts->view->profile->cells[i];
	if (!part.cell_count)
		return 0;
	ret = tree_build(&part, parts->view->flame->functions, &(struct tree_options){0}, &tree);
	if (ret)
		return ret;
	add_tree(parts, tree, html_rows_title(table->by), name);
	(void)tree_free(tree);
	return 0;
}

static uint32_t count_rows(const struct table *table)
{
	return table->row_count > ROWS ? ROWS + 1 : (uint32_t)table->row_count;
}

static int add_table(struct parts *parts, const struct table *table)
{
	int ret = 0;

	for (uint32_t i = 0; i < count_rows(table) && !ret; i++) {
		const struct table_row *row = &table->rows[i];
		uint32_t id = row->tid ? row->tid : row->pid;
		char name[HTML_NAME];

		if (i == ROWS)
			(void)snprintf(name, sizeof(name), "%zu others", table->row_count - ROWS);
		else if (id)
			(void)snprintf(name, sizeof(name), "%.200s (%" PRIu32 ")", row->name, id);
		else
			(void)snprintf(name, sizeof(name), "%s", row->name);
		ret = add_row(parts, table, i, name);
	}
	return ret;
}

static void add_names(struct parts *parts)
{
	const struct tree_function *list = parts->view->flame->functions->list;

	json_open_list(&parts->json, "names", /* lines= */ true);
	for (uint32_t i = 0; i < parts->named_count; i++) {
		const struct heat_color *color = &parts->colors[i];
		char fill[8];

		(void)snprintf(fill, sizeof(fill), "#%02x%02x%02x", color->red, color->green,
			       color->blue);
		json_open_list(&parts->json, NULL, /* lines= */ false);
		add_text(parts, NULL, list[parts->named[i]].name);
		add_text(parts, NULL, list[parts->named[i]].object);
		json_add_string(&parts->json, NULL, fill);
		json_close(&parts->json);
	}
	json_close(&parts->json);
}

static int add_all(struct parts *parts)
{
	const struct html_view *view = parts->view;
	uint32_t trees = 1;
	int ret = 0;

	for (size_t i = 0; i < view->apart_count; i++)
		trees += view->apart[i]->of_cell ? count_rows(view->apart[i]) : 0;
	parts->budget = RECORDS / trees;
	json_open_object(&parts->json, NULL, /* lines= */ false);
	json_open_list(&parts->json, "trees", /* lines= */ true);
	add_tree(parts, view->flame->tree, "", "all");
	for (size_t i = 0; i < view->apart_count && !ret; i++)
		if (view->apart[i]->of_cell)
			ret = add_table(parts, view->apart[i]);
	json_close(&parts->json);
	add_names(parts);
	json_close(&parts->json);
	return ret;
}

static int fill_in(struct parts *parts)
{
	size_t functions = parts->view->flame->functions->count;

	parts->numbers = calloc(functions, sizeof(*parts->numbers));
	parts->named = calloc(functions, sizeof(*parts->named));
	parts->colors = calloc(functions, sizeof(*parts->colors));
	parts->seen = calloc(functions, sizeof(*parts->seen));
	parts->open = calloc(functions, sizeof(*parts->open));
	parts->cells = calloc(parts->view->profile->cell_count + 1, sizeof(*parts->cells));
	if (!parts->numbers || !parts->named || !parts->colors || !parts->seen || !parts->open ||
	    !parts->cells)
		return -ENOMEM;
	return add_all(parts);
}

bool html_has_parts(const struct html_view *view)
{
	return view->flame && view->flame->tree->shown && view->flame->tree->shown <= EXACT;
}

int html_parts(FILE *out, const struct html_view *view)
{
	char *text = NULL;
	size_t size;
	struct parts parts = {.view = view, .json.out = open_memstream(&text, &size)};
	int ret = parts.json.out ? fill_in(&parts) : -ENOMEM;

	if (parts.json.out && (fclose(parts.json.out) || !text) && !ret)
		ret = -ENOMEM;
	/* No name ends the element. */
	(void)fputs("<script type=\"application/json\" id=flame-parts>", out);
	for (size_t i = 0; i < size && !ret; i++)
		if (text[i] == '<')
			(void)fputs("\\u003c", out);
		else
			(void)fputc(text[i], out);
	(void)fputs("</script>\n", out);
	free(text);
	free(parts.numbers);
	free(parts.named);
	free(parts.colors);
	free(parts.seen);
	free(parts.open);
	free(parts.cells);
	return ret;
}
