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
	uint32_t cut;	/* the place that is none */
	uint32_t *open; /* of each function: how often it is on the stack */
	bool *called;	/* of each function: whether it has a caller anywhere */
	struct keyset keys;
	struct inclusive *inclusive;
};

static uint32_t function_of(const struct walk *walk, uint32_t node)
{
	uint32_t place = walk->tree->nodes[node].function;

	return place == walk->cut ? tree_functions_cut(walk->functions)
				  : walk->functions->of_location[place];
}

static uint32_t caller_of(const struct walk *walk, const struct tree_node *node)
{
	uint32_t place;

	if (node->parent == TREE_NONE)
		return INCLUSIVE_ROOT;
	place = walk->tree->nodes[node->parent].function;
	return place == walk->cut ? INCLUSIVE_CUT : place;
}

/* Calls of one function from one place are one. */
static int add_call(struct walk *walk, const struct tree_node *node, uint32_t function)
{
	struct inclusive *inclusive = walk->inclusive;
	uint32_t caller = caller_of(walk, node), number;
	struct key key = {{(uint64_t)caller << 32 | function}};
	int ret = keyset_add(&walk->keys, &key, &number);

	if (ret < 0 || ARRAY_RESERVE(inclusive->calls, inclusive->capacity, number + 1U))
		return -ENOMEM;
	if (ret > 0)
		inclusive->calls[inclusive->count++] =
			(struct inclusive_call){caller, node->function, 0};
	inclusive->calls[number].total = ticks_add(inclusive->calls[number].total, node->total);
	return 0;
}

static int go_through(struct walk *walk)
{
	const struct tree_node *nodes = walk->tree->nodes;
	uint32_t last = TREE_NONE;
	int ret = 0;

	for (uint32_t i = 0; i < walk->tree->node_count; i++)
		if (nodes[i].parent != TREE_NONE)
			walk->called[function_of(walk, i)] = true;
	for (uint32_t i = 0; ret >= 0 && i < walk->tree->node_count; last = i++) {
		uint32_t function = function_of(walk, i);

		for (; last != nodes[i].parent; last = nodes[last].parent)
			walk->open[function_of(walk, last)]--;
		if (!walk->open[function]++ && walk->called[function])
			ret = add_call(walk, &nodes[i], function);
	}
	return ret;
}

static int compare(const void *left, const void *right)
{
	const struct inclusive_call *a = left, *b = right;

	ARRAY_COMPARE(a->caller, b->caller);
	ARRAY_COMPARE(a->callee, b->callee);
	return 0;
}

static int make(struct walk *walk)
{
	int ret = -ENOMEM;

	walk->open = calloc(walk->functions->count, sizeof(*walk->open));
	walk->called = calloc(walk->functions->count, sizeof(*walk->called));
	if (walk->open && walk->called)
		ret = go_through(walk);
	keyset_done(&walk->keys);
	free(walk->open);
	free(walk->called);
	return ret;
}

int inclusive_make(const struct profile *profile, const struct tree_functions *functions,
		   struct inclusive *ret_inclusive)
{
	/* Each place as a function of its own. */
	struct tree_functions places = {.count = (uint32_t)profile->location_count + 1};
	struct walk walk = {
		.functions = functions, .cut = places.count - 1, .inclusive = ret_inclusive};
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
		ret = make(&walk);
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
