// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/tree_order.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

/* What a node called, its children, as part of one list.  A node goes by its index and 1 here, and
 * 0 called the roots. */
struct children {
	uint32_t *list;
	uint32_t *first; /* of each node, where its children begin; they end where the next's do */
	uint32_t *next;	 /* the next one to be placed */
	uint32_t *place; /* of each child, its node's place in the order */
};

static uint32_t parent_of(const struct tree *tree, uint32_t node)
{
	uint32_t parent = tree->nodes[node - 1].parent;

	return parent == TREE_NONE ? 0 : parent + 1;
}

/* Both of one parent. */
static int compare(const void *left, const void *right, void *context)
{
	const struct tree_node *nodes = context;
	const struct tree_node *a = &nodes[*(const uint32_t *)left - 1];
	const struct tree_node *b = &nodes[*(const uint32_t *)right - 1];

	ARRAY_COMPARE(b->total, a->total);
	ARRAY_COMPARE(a->function, b->function);
	return 0;
}

static void list_children(const struct tree *tree, struct children *children)
{
	uint32_t count = (uint32_t)tree->node_count, *first = children->first;

	for (uint32_t i = 1; i <= count; i++)
		first[parent_of(tree, i) + 1]++;
	for (uint32_t i = 0; i <= count; i++) {
		first[i + 1] += first[i];
		children->next[i] = first[i];
	}
	for (uint32_t i = 1; i <= count; i++)
		children->list[children->next[parent_of(tree, i)]++] = i;
	for (uint32_t i = 0; i <= count; i++) {
		children->next[i] = first[i];
		if (first[i + 1] - first[i] > 1)
			ARRAY_SORT_BY(children->list + first[i], first[i + 1] - first[i], compare,
				      tree->nodes);
	}
}

static void place_nodes(const struct tree *tree, struct children *children,
			struct tree_node *ordered)
{
	uint32_t count = 0, at = 0;

	for (;;) {
		struct tree_node *node;

		if (children->next[at] == children->first[at + 1]) {
			if (!at)
				return;
			ordered[children->place[at]].end = count;
			at = parent_of(tree, at);
			continue;
		}
		node = &ordered[count];
		*node = tree->nodes[children->list[children->next[at]] - 1];
		if (at) {
			node->parent = children->place[at];
			node->depth = ordered[node->parent].depth + 1;
		}
		at = children->list[children->next[at]++];
		children->place[at] = count++;
	}
}

int tree_put_in_order(struct tree *tree)
{
	size_t count = tree->node_count, room = count + 2;
	struct tree_node *ordered = calloc(count + 1, sizeof(*ordered));
	uint32_t *numbers = calloc(4 * room, sizeof(*numbers));
	struct children children;

	if (!ordered || !numbers) {
		free(ordered);
		free(numbers);
		return -ENOMEM;
	}
	children =
		(struct children){numbers, numbers + room, numbers + 2 * room, numbers + 3 * room};
	list_children(tree, &children);
	place_nodes(tree, &children, ordered);
	free(tree->nodes);
	free(numbers);
	tree->nodes = ordered;
	tree->node_capacity = count + 1;
	return 0;
}

int tree_sum_up(struct tree *tree, uint32_t count)
{
	uint32_t *open = calloc(count + 1, sizeof(*open)); /* how often it is on the stack */
	uint32_t last = TREE_NONE;

	tree->sums = calloc(count + 1, sizeof(*tree->sums));
	if (!open || !tree->sums) {
		free(open);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < tree->node_count; last = i++) {
		const struct tree_node *node = &tree->nodes[i];
		struct tree_sum *sum = &tree->sums[node->function];

		for (; last != node->parent; last = tree->nodes[last].parent)
			open[tree->nodes[last].function]--;
		sum->self = ticks_add(sum->self, node->self);
		if (!open[node->function]++)
			sum->total = ticks_add(sum->total, node->total);
	}
	free(open);
	return 0;
}
