// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/tree_arcs.h"

#include "base/array.h"
#include "base/keyset.h"

#include <errno.h>
#include <stdlib.h>

static int find_arc(struct tree_arcs *arcs, struct keyset *keys, uint32_t caller, uint32_t callee,
		    uint32_t *ret_arc)
{
	struct key key = {{(uint64_t)caller << 32 | callee}};
	int ret = keyset_add(keys, &key, ret_arc);

	if (ret <= 0)
		return ret;
	if (ARRAY_RESERVE(arcs->list, arcs->capacity, arcs->count + 1))
		return -ENOMEM;
	arcs->list[arcs->count++] = (struct tree_arc){.caller = caller, .callee = callee};
	return 0;
}

/* NUMBERS gets the arc that each node but the roots was called by. */
static int find_sampled(const struct tree *tree, struct tree_arcs *arcs, struct keyset *keys,
			uint32_t *numbers)
{
	int ret = 0;

	for (uint32_t i = 0; i < tree->node_count && ret >= 0; i++) {
		const struct tree_node *node = &tree->nodes[i];

		if (node->parent != TREE_NONE)
			ret = find_arc(arcs, keys, tree->nodes[node->parent].function,
				       node->function, &numbers[i]);
	}
	return ret;
}

/* OPEN counts how often each arc is on the stack. */
static void add_sampled(const struct tree *tree, struct tree_arcs *arcs, const uint32_t *numbers,
			uint32_t *open)
{
	uint32_t last = TREE_NONE;

	for (uint32_t i = 0; i < tree->node_count; last = i++) {
		const struct tree_node *node = &tree->nodes[i];
		struct tree_arc *arc = &arcs->list[numbers[i]];

		for (; last != node->parent; last = tree->nodes[last].parent)
			if (tree->nodes[last].parent != TREE_NONE)
				open[numbers[last]]--;
		if (node->parent != TREE_NONE && !open[numbers[i]]++)
			arc->total = ticks_add(arc->total, node->total);
	}
}

static int add_counted(const struct profile *profile, const struct tree_functions *functions,
		       struct tree_arcs *arcs, struct keyset *keys)
{
	uint32_t number;
	int ret = 0;

	for (size_t i = 0; i < profile->call_count && ret >= 0; i++) {
		const struct profile_call *call = &profile->calls[i];

		if (call->caller == PROFILE_NO_CALLER || !call->count)
			continue;
		ret = find_arc(arcs, keys, functions->of_location[call->caller],
			       functions->of_location[call->callee], &number);
		if (ret >= 0)
			arcs->list[number].calls = ticks_add(arcs->list[number].calls, call->count);
	}
	return ret;
}

static int compare(const void *left, const void *right)
{
	const struct tree_arc *a = left, *b = right;

	ARRAY_COMPARE(a->caller, b->caller);
	ARRAY_COMPARE(b->total, a->total);
	ARRAY_COMPARE(b->calls, a->calls);
	ARRAY_COMPARE(a->callee, b->callee);
	return 0;
}

static int compare_incoming(const void *left, const void *right, void *context)
{
	const struct tree_arc *list = context;
	const struct tree_arc *a = &list[*(const uint32_t *)left];
	const struct tree_arc *b = &list[*(const uint32_t *)right];

	ARRAY_COMPARE(a->callee, b->callee);
	ARRAY_COMPARE(b->total, a->total);
	ARRAY_COMPARE(b->calls, a->calls);
	ARRAY_COMPARE(a->caller, b->caller);
	return 0;
}

static int put_in_order(struct tree_arcs *arcs)
{
	arcs->incoming = calloc(arcs->count + 1, sizeof(*arcs->incoming));
	if (!arcs->incoming)
		return -ENOMEM;
	ARRAY_SORT(arcs->list, arcs->count, compare);
	for (uint32_t i = 0; i < arcs->count; i++)
		arcs->incoming[i] = i;
	ARRAY_SORT_BY(arcs->incoming, arcs->count, compare_incoming, arcs->list);
	return 0;
}

int tree_arcs_make(const struct profile *profile, const struct tree_functions *functions,
		   const struct tree *tree, struct tree_arcs *ret_arcs)
{
	size_t room = tree->node_count + 1;
	uint32_t *numbers = calloc(room, sizeof(*numbers)), *open = calloc(room, sizeof(*open));
	struct keyset keys = {0};
	int ret = numbers && open ? 0 : -ENOMEM;

	*ret_arcs = (struct tree_arcs){0};
	if (ret >= 0)
		ret = find_sampled(tree, ret_arcs, &keys, numbers);
	if (ret >= 0 && ret_arcs->count)
		add_sampled(tree, ret_arcs, numbers, open);
	if (ret >= 0)
		ret = add_counted(profile, functions, ret_arcs, &keys);
	if (ret >= 0)
		ret = put_in_order(ret_arcs);
	keyset_done(&keys);
	free(numbers);
	free(open);
	if (ret < 0)
		tree_arcs_done(ret_arcs);
	return ret;
}

void tree_arcs_done(struct tree_arcs *arcs)
{
	free(arcs->list);
	free(arcs->incoming);
	*arcs = (struct tree_arcs){0};
}
