// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/tree_order.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

/* Each node's first child and next sibling, TREE_NONE for none, and its place in the order. */
struct links {
	uint32_t *first, *next, *place;
	uint32_t root; /* the first one */
};

/* The last to be shown first: each is put in front of its siblings. */
static int compare(const void *left, const void *right, void *context)
{
	const struct tree_node *nodes = context;
	const struct tree_node *a = &nodes[*(const uint32_t *)left];
	const struct tree_node *b = &nodes[*(const uint32_t *)right];

	ARRAY_COMPARE(a->total, b->total);
	ARRAY_COMPARE(b->function, a->function);
	return 0;
}

static void link_nodes(const struct tree *tree, const uint32_t *sorted, struct links *links)
{
	for (size_t i = 0; i < tree->node_count; i++)
		links->first[i] = links->next[i] = TREE_NONE;
	links->root = TREE_NONE;
	for (size_t i = 0; i < tree->node_count; i++) {
		uint32_t node = sorted[i], parent = tree->nodes[node].parent;
		uint32_t *head = parent == TREE_NONE ? &links->root : &links->first[parent];

		links->next[node] = *head;
		*head = node;
	}
}

/* The node behind NODE in the order. */
static uint32_t next_of(const struct tree *tree, const struct links *links, uint32_t node)
{
	if (links->first[node] != TREE_NONE)
		return links->first[node];
	while (node != TREE_NONE && links->next[node] == TREE_NONE)
		node = tree->nodes[node].parent;
	return node == TREE_NONE ? TREE_NONE : links->next[node];
}

static void place_nodes(const struct tree *tree, const struct links *links,
			struct tree_node *ordered)
{
	uint32_t count = 0;

	for (uint32_t i = links->root; i != TREE_NONE; i = next_of(tree, links, i)) {
		struct tree_node node = tree->nodes[i];

		if (node.parent != TREE_NONE) {
			node.parent = links->place[node.parent];
			node.depth = ordered[node.parent].depth + 1;
		}
		node.end = count + 1;
		links->place[i] = count;
		ordered[count++] = node;
	}
	while (count--) {
		struct tree_node *node = &ordered[count];

		if (node->parent != TREE_NONE && ordered[node->parent].end < node->end)
			ordered[node->parent].end = node->end;
	}
}

int tree_put_in_order(struct tree *tree)
{
	size_t count = tree->node_count;
	struct tree_node *ordered = calloc(count + 1, sizeof(*ordered));
	uint32_t *sorted = calloc(count + 1, sizeof(*sorted));
	uint32_t *room = calloc(3 * count + 1, sizeof(*room));
	struct links links;

	if (!ordered || !sorted || !room) {
		free(ordered);
		free(sorted);
		free(room);
		return -ENOMEM;
	}
	links = (struct links){room, room + count, room + 2 * count, TREE_NONE};
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = i;
	ARRAY_SORT_BY(sorted, count, compare, tree->nodes);
	link_nodes(tree, sorted, &links);
	place_nodes(tree, &links, ordered);
	free(tree->nodes);
	free(sorted);
	free(room);
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
