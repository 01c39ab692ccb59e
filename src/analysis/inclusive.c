// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/inclusive.h"

#include "analysis/tree.h"
#include "base/array.h"
#include "base/keyset.h"

#include <errno.h>
#include <stdlib.h>

/* A walk over the tree of places, with what is on the stack. */
struct walk {
	const struct tree *tree;
	const struct tree_functions *functions;
	uint32_t cut;	 /* the place that is none */
	uint32_t *open;	 /* of each function: how often it is on the stack */
	uint32_t *outer; /* of each function on the stack: the node of its outermost call */
	uint32_t *via;	 /* of each node on the stack: the child that it came by */
	uint64_t *less;	 /* of each node: samples below that are its caller's own */
};

static uint32_t function_of(const struct walk *walk, uint32_t node)
{
	uint32_t place = walk->tree->nodes[node].function;

	return place == walk->cut ? tree_functions_cut(walk->functions)
				  : walk->functions->of_location[place];
}

/* What node I has itself is no part of what the outermost call of its function hands down. */
static void enter(struct walk *walk, uint32_t i)
{
	const struct tree_node *node = &walk->tree->nodes[i];
	uint32_t function = function_of(walk, i);

	if (node->parent != TREE_NONE)
		walk->via[node->parent] = i;
	if (!walk->open[function]++)
		walk->outer[function] = i;
	else
		walk->less[walk->via[walk->outer[function]]] += node->self;
}

/* Whether a node's parent is its function's outermost call, as is known when the node is met. */
static void mark(const struct walk *walk, uint32_t i, bool *is_arc)
{
	const struct tree_node *node = &walk->tree->nodes[i];

	is_arc[i] = node->parent != TREE_NONE &&
		    walk->tree->nodes[node->parent].function != walk->cut &&
		    walk->outer[function_of(walk, node->parent)] == node->parent;
}

static void go_through(struct walk *walk, bool *is_arc)
{
	uint32_t last = TREE_NONE;

	for (uint32_t i = 0; i < walk->tree->node_count; last = i++) {
		for (; last != walk->tree->nodes[i].parent; last = walk->tree->nodes[last].parent)
			walk->open[function_of(walk, last)]--;
		mark(walk, i, is_arc);
		enter(walk, i);
	}
}

/* Calls of one function from one place are one. */
static int add_arc(const struct walk *walk, uint32_t i, struct keyset *keys,
		   struct inclusive *inclusive)
{
	const struct tree_node *node = &walk->tree->nodes[i];
	uint32_t caller = walk->tree->nodes[node->parent].function, number;
	struct key key = {{(uint64_t)caller << 32 | function_of(walk, i)}};
	int ret = keyset_add(keys, &key, &number);

	if (ret < 0 || ARRAY_RESERVE(inclusive->calls, inclusive->capacity, number + 1U))
		return -ENOMEM;
	if (ret > 0)
		inclusive->calls[inclusive->count++] =
			(struct inclusive_call){caller, node->function, 0};
	inclusive->calls[number].total =
		ticks_add(inclusive->calls[number].total, node->total - walk->less[i]);
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct inclusive_call *a = left, *b = right;

	ARRAY_COMPARE(a->caller, b->caller);
	ARRAY_COMPARE(a->callee, b->callee);
	return 0;
}

static int make(struct walk *walk, struct inclusive *inclusive)
{
	size_t room = walk->tree->node_count + 1;
	bool *is_arc = calloc(room, sizeof(*is_arc));
	struct keyset keys = {0};
	int ret = -ENOMEM;

	walk->open = calloc(walk->functions->count, sizeof(*walk->open));
	walk->outer = calloc(walk->functions->count, sizeof(*walk->outer));
	walk->via = calloc(room, sizeof(*walk->via));
	walk->less = calloc(room, sizeof(*walk->less));
	if (is_arc && walk->open && walk->outer && walk->via && walk->less) {
		go_through(walk, is_arc);
		ret = 0;
	}
	for (uint32_t i = 0; ret >= 0 && i < walk->tree->node_count; i++)
		if (is_arc[i])
			ret = add_arc(walk, i, &keys, inclusive);
	keyset_done(&keys);
	free(is_arc);
	free(walk->open);
	free(walk->outer);
	free(walk->via);
	free(walk->less);
	return ret;
}

int inclusive_make(const struct profile *profile, const struct tree_functions *functions,
		   struct inclusive *ret_inclusive)
{
	/* Each place as a function of its own. */
	struct tree_functions places = {.count = (uint32_t)profile->location_count + 1};
	struct walk walk = {.functions = functions, .cut = places.count - 1};
	struct tree *tree = NULL;
	int ret = -ENOMEM;

	*ret_inclusive = (struct inclusive){0};
	places.of_location = calloc(places.count, sizeof(uint32_t));
	for (uint32_t i = 0; places.of_location && i < profile->location_count; i++)
		places.of_location[i] = i;
	if (places.of_location)
		ret = tree_build(profile, &places, &(struct tree_options){0}, &tree);
	walk.tree = tree;
	if (ret >= 0)
		ret = make(&walk, ret_inclusive);
	if (ret >= 0)
		ARRAY_SORT(ret_inclusive->calls, ret_inclusive->count, compare);
	else
		inclusive_done(ret_inclusive);
	(void)tree_free(tree);
	free(places.of_location);
	return ret;
}

void inclusive_done(struct inclusive *inclusive)
{
	free(inclusive->calls);
	*inclusive = (struct inclusive){0};
}
