// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/top_list.h"

#include "base/array.h"
#include "base/hash.h"

#include <errno.h>
#include <string.h>

#define NAME_OF(view, name, by) [TOP_##view] = (name),
#define BY_OF(view, name, by) [TOP_##view] = (by),

static const enum table_by rows_by[TOP_VIEWS] = {TOP_VIEWS_EACH(BY_OF)};

const char *top_view_name(enum top_view view)
{
	static const char *const names[] = {TOP_VIEWS_EACH(NAME_OF)};

	return names[view];
}

const char *top_sort_name(enum top_sort sort)
{
	static const char *const names[] = {"last", "self", "total", "name"};

	return names[sort];
}

enum top_view top_view_by(enum table_by by)
{
	for (int i = 0; i < TOP_VIEWS; i++)
		if (rows_by[i] == by)
			return (enum top_view)i;
	return TOP_FUNCTIONS;
}

static uint64_t hash_text(const char *text)
{
	return hash_bytes(text, strlen(text));
}

static bool passes(const struct top_list *list, const char *name, const char *object)
{
	return !*list->filter || strcasestr(name, list->filter) || strcasestr(object, list->filter);
}

/* COUNT: what its history is of. */
static int add(struct top_list *list, struct top_item *item, uint64_t count)
{
	bool is_table = list->view != TOP_TREE; /* whose rows are told each time */
	int ret = history_tell(&list->history, &item->key, count, is_table, &item->history);

	if (ret || (is_table && !passes(list, item->name, item->object)))
		return ret;
	if (ARRAY_RESERVE(list->items, list->capacity, list->count + 1))
		return -ENOMEM;
	item->last = history_grown(&list->history, item->history, 0);
	list->items[list->count++] = *item;
	return 0;
}

/* ---- tables ---- */

static int add_row(struct top_list *list, const struct table_row *row)
{
	bool is_time = list->table->has_lives;
	struct top_item item = {
		.name = *row->title ? row->title : row->name,
		.object = row->object,
		.path = row->path,
		.class = row->class,
		.pid = row->pid,
		.tid = row->tid,
		.self = is_time ? table_time(row->own) : row->ticks,
		.total = is_time ? table_time(row->own) : row->total,
		.key.words = {hash_text(row->name), hash_text(row->path),
			      (uint64_t)row->pid << 32 | row->tid},
		.mark = ' ',
	};

	return add(list, &item, item.self);
}

static int fill_table(struct top_list *list, const struct profile *profile)
{
	const struct table_options options = {
		.by = rows_by[list->view],
		.lives = list->view == TOP_WAITING,
	};
	int ret = 0;

	if (!list->table)
		ret = table_build(profile, &options, &list->table, &list->why);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	list->whole = list->table->has_lives ? table_time(list->table->lives) : list->table->total;
	for (size_t i = 0; !ret && i < list->table->row_count; i++)
		ret = add_row(list, &list->table->rows[i]);
	return ret;
}

static int compare_items(const void *left, const void *right, void *context)
{
	const struct top_item *a = left, *b = right;
	const struct top_list *list = context;

	if (list->sort == TOP_BY_LAST)
		ARRAY_COMPARE(b->last, a->last);
	if (list->sort == TOP_BY_TOTAL)
		ARRAY_COMPARE(b->total, a->total);
	if (list->sort != TOP_BY_NAME)
		ARRAY_COMPARE(b->self, a->self);
	ARRAY_COMPARE(strcmp(a->name, b->name), 0);
	ARRAY_COMPARE(strcmp(a->path, b->path), 0);
	ARRAY_COMPARE(a->pid, b->pid);
	ARRAY_COMPARE(a->tid, b->tid);
	return 0;
}

/* ---- the tree ---- */

/* A node is who called whom, from the root on. */
static struct key key_of(const struct key *caller, const struct tree_function *function)
{
	const struct key nothing = {};

	if (!caller)
		caller = &nothing;
	return (struct key){{hash_bytes(caller, sizeof(*caller)), hash_text(function->name),
			     hash_text(function->path)}};
}

/* What is open at first: what has a fiftieth of all. */
static bool is_usual(const struct tree *tree, const struct tree_node *node)
{
	return node->total >= tree->total / 50 + 1;
}

/* Returns whether what is below it is to be listed; or -ENOMEM. */
static int add_node(struct top_list *list, uint32_t number, struct key *keys)
{
	const struct tree_node *node = &list->tree->nodes[number];
	const struct tree_function *function = &list->functions.list[node->function];
	struct top_item item = {
		.name = function->name,
		.object = function->object,
		.path = function->path,
		.class = function->class,
		.self = node->self,
		.total = node->total,
		.key = key_of(node->depth ? &keys[node->depth - 1] : NULL, function),
		.depth = node->depth,
		.mark = ' ',
	};
	int ret;

	keys[node->depth] = item.key;
	if (node->end > number + 1)
		item.mark = folds_is_open(&list->folds, &item.key, is_usual(list->tree, node))
				    ? '-'
				    : '+';
	ret = add(list, &item, node->total);
	return ret ? ret : item.mark == '-';
}

static int add_nodes(struct top_list *list)
{
	const struct tree *tree = list->tree;
	struct key *keys;
	uint32_t deepest = 0, i = 0;
	int ret = 0;

	for (size_t j = 0; j < tree->node_count; j++)
		deepest = deepest > tree->nodes[j].depth ? deepest : tree->nodes[j].depth;
	keys = calloc(deepest + 1UL, sizeof(*keys));
	if (!keys)
		return -ENOMEM;
	while (ret >= 0 && i < tree->node_count) {
		ret = add_node(list, i, keys);
		i = ret ? i + 1 : tree->nodes[i].end;
	}
	free(keys);
	return ret < 0 ? ret : 0;
}

/* Paths begin at what the filter names. */
static int build_tree(struct top_list *list, const struct profile *profile)
{
	const struct tree_functions *functions = &list->functions;
	bool *wanted = calloc(functions->count + 1UL, sizeof(*wanted));
	struct tree_options options = {
		.wanted = *list->filter ? wanted : NULL,
		.reverse = list->reverse,
	};
	int ret = wanted ? 0 : -ENOMEM;

	for (uint32_t i = 0; !ret && i < functions->count; i++)
		wanted[i] = passes(list, functions->list[i].name, functions->list[i].object);
	ret = ret ? ret : tree_build(profile, functions, &options, &list->tree);
	free(wanted);
	return ret;
}

static int fill_tree(struct top_list *list, const struct profile *profile)
{
	int ret;

	if (!tree_has_stacks(profile)) {
		(void)error_set(&list->why, -ENOENT, "tree: there are no call stacks");
		return 0;
	}
	if (!list->tree) {
		tree_functions_done(&list->functions);
		ret = tree_functions_make(profile, &list->functions);
		ret = ret ? ret : build_tree(list, profile);
		if (ret)
			return ret;
	}
	list->whole = list->tree->total;
	return add_nodes(list);
}

/* ---- both ---- */

static void drop(struct top_list *list)
{
	list->table = table_free(list->table);
	list->tree = tree_free(list->tree);
	tree_functions_done(&list->functions);
}

int top_list_fill(struct top_list *list, const struct profile *profile, bool is_new)
{
	bool is_other = list->view != list->shown ||
			(list->view == TOP_TREE && strcmp(list->filter, list->shown_filter) != 0);
	int ret;

	/* What is folded or sorted otherwise is not added up again. */
	if (is_new || is_other)
		drop(list);
	if (is_other)
		history_done(&list->history);
	list->count = 0;
	list->whole = 0;
	list->why = (struct error){};
	list->shown = list->view;
	strcpy(list->shown_filter, list->filter);
	if (is_new || !list->history.moment)
		history_step(&list->history);
	if (list->view == TOP_TREE)
		return fill_tree(list, profile);
	ret = fill_table(list, profile);
	ARRAY_SORT_BY(list->items, list->count, compare_items, list);
	return ret;
}

void top_list_done(struct top_list *list)
{
	drop(list);
	history_done(&list->history);
	folds_done(&list->folds);
	free(list->items);
	*list = (struct top_list){};
}
