// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/tree.h"

#include "analysis/tree_order.h"
#include "base/array.h"
#include "base/progress.h"
#include "base/trie.h"

#include <errno.h>
#include <stdlib.h>

/* Where the way down a stack has come to: UNUSED, a node's index and 1, or OUTSIDE of the tree. */
#define UNUSED 0
#define OUTSIDE UINT32_MAX

/* Leaf first: samples that have come to a node on their way up, and what is left of it. */
struct climber {
	uint32_t node, context;
	bool cut;
	uint64_t ticks;
};

struct builder {
	const struct profile *profile;
	const struct tree_functions *functions;
	const struct tree_options *options;
	struct tree *tree;
	struct trie paths; /* of functions; a path's number is its node's and 1 */
	/* Of whole stacks and of cut ones: where each context is in the tree. */
	uint32_t *places[2];
};

static bool is_wanted(const struct builder *builder, uint32_t function)
{
	return !builder->options->wanted || builder->options->wanted[function];
}

static uint32_t function_of(const struct builder *builder, uint32_t context)
{
	return builder->functions->of_location[builder->profile->contexts[context].location];
}

/* The node of FUNCTION below PARENT, TREE_NONE: a root. */
static int find_node(struct builder *builder, uint32_t parent, uint32_t function,
		     uint32_t *ret_node)
{
	struct tree *tree = builder->tree;
	uint32_t path;
	int ret = trie_add(&builder->paths, parent == TREE_NONE ? 0 : parent + 1, function, &path);

	if (ret < 0)
		return ret;
	*ret_node = path - 1;
	if (!ret)
		return 0;
	if (ARRAY_RESERVE(tree->nodes, tree->node_capacity, tree->node_count + 1))
		return -ENOMEM;
	tree->nodes[tree->node_count++] =
		(struct tree_node){.parent = parent, .function = function};
	return 0;
}

/* ---- callers first ---- */

/* One call further down. */
static int step(struct builder *builder, uint32_t function, uint32_t *place)
{
	uint32_t node;
	int ret;

	if (*place == OUTSIDE && !is_wanted(builder, function))
		return 0;
	ret = find_node(builder, *place == OUTSIDE ? TREE_NONE : *place - 1, function, &node);
	if (ret >= 0)
		*place = node + 1;
	return ret;
}

static int start(struct builder *builder, bool cut, uint32_t *ret_place)
{
	*ret_place = OUTSIDE;
	if (!cut || builder->options->wanted)
		return 0;
	return step(builder, tree_functions_cut(builder->functions), ret_place);
}

/* Below CONTEXT, an index and 1; 0: below nothing. */
static int find_place(struct builder *builder, uint32_t context, bool cut, uint32_t *ret_place)
{
	if (!context)
		return start(builder, cut, ret_place);
	*ret_place = builder->places[cut][context - 1];
	return 0;
}

/* Those that cells are in, in the order of contexts, which is that of memory. */
static int place_contexts(struct builder *builder, bool cut)
{
	const struct profile_context *contexts = builder->profile->contexts;
	uint32_t count = (uint32_t)builder->profile->context_count, *places = builder->places[cut];
	int ret = 0;

	for (uint32_t i = count; i--;)
		if (places[i] && contexts[i].parent)
			places[contexts[i].parent - 1] = OUTSIDE;
	for (uint32_t i = 0; i < count && ret >= 0; i++) {
		if (places[i] == UNUSED)
			continue;
		ret = find_place(builder, contexts[i].parent, cut, &places[i]);
		if (ret >= 0)
			ret = step(builder, function_of(builder, i), &places[i]);
	}
	return ret;
}

/* OUTSIDE is where all begin. */
static int place_all(struct builder *builder)
{
	const struct profile *profile = builder->profile;
	int ret = 0;

	for (int i = 0; i < 2; i++) {
		builder->places[i] = calloc(profile->context_count + 1, sizeof(uint32_t));
		if (!builder->places[i])
			return -ENOMEM;
	}
	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];

		if (cell->context)
			builder->places[tree_is_cut(profile, cell)][cell->context - 1] = OUTSIDE;
	}
	for (int i = 0; i < 2 && ret >= 0; i++)
		ret = place_contexts(builder, i);
	return ret;
}

static int add_cell(struct builder *builder, const struct profile_cell *cell)
{
	uint32_t place;
	struct tree_node *node;
	int ret = find_place(builder, cell->context, tree_is_cut(builder->profile, cell), &place);

	if (ret >= 0)
		ret = step(builder, builder->functions->of_location[cell->location], &place);
	if (ret < 0 || place == OUTSIDE)
		return ret;
	node = &builder->tree->nodes[place - 1];
	node->self = ticks_add(node->self, cell->ticks);
	builder->tree->shown = ticks_add(builder->tree->shown, cell->ticks);
	return 0;
}

static int build_down(struct builder *builder)
{
	const struct profile *profile = builder->profile;
	struct tree *tree = builder->tree;
	int ret = place_all(builder);

	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++) {
		progress_at(i, profile->cell_count);
		ret = add_cell(builder, &profile->cells[i]);
	}
	for (size_t i = tree->node_count; i--;) {
		struct tree_node *node = &tree->nodes[i];

		node->total = ticks_add(node->total, node->self);
		if (node->parent != TREE_NONE)
			tree->nodes[node->parent].total =
				ticks_add(tree->nodes[node->parent].total, node->total);
	}
	return ret;
}

/* ---- leaf first ---- */

static int charge(struct builder *builder, struct climber *climber, uint32_t function)
{
	int ret = find_node(builder, climber->node, function, &climber->node);
	struct tree_node *node;

	if (ret < 0)
		return ret;
	node = &builder->tree->nodes[climber->node];
	node->total = ticks_add(node->total, climber->ticks);
	return 0;
}

/* Put CELL at the function that its way begins with.  Returns 1 where it has one, 0, or -ENOMEM. */
static int begin_climb(struct builder *builder, const struct profile_cell *cell,
		       struct climber *ret_climber)
{
	const struct profile *profile = builder->profile;
	uint32_t function = builder->functions->of_location[cell->location];
	struct climber climber = {.node = TREE_NONE,
				  .context = cell->context,
				  .cut = tree_is_cut(profile, cell),
				  .ticks = cell->ticks};
	int ret;

	while (!is_wanted(builder, function)) {
		if (!climber.context)
			return 0;
		function = function_of(builder, climber.context - 1);
		climber.context = profile->contexts[climber.context - 1].parent;
	}
	builder->tree->shown = ticks_add(builder->tree->shown, cell->ticks);
	ret = charge(builder, &climber, function);
	*ret_climber = climber;
	return ret < 0 ? ret : 1;
}

/* One call up.  Returns 1 where there may be more, 0, or -ENOMEM. */
static int climb(struct builder *builder, struct climber *climber)
{
	struct tree_node *node = &builder->tree->nodes[climber->node];
	uint32_t context = climber->context;
	int ret;

	if (node->total < builder->options->min)
		return 0;
	if (!context && !climber->cut) {
		node->self = ticks_add(node->self, climber->ticks);
		return 0;
	}
	if (!context)
		return charge(builder, climber, tree_functions_cut(builder->functions));
	climber->context = builder->profile->contexts[context - 1].parent;
	ret = charge(builder, climber, function_of(builder, context - 1));
	return ret < 0 ? ret : 1;
}

/* Level by level, so that what is too little to be shown is known before it is followed. */
static int climb_all(struct builder *builder, struct climber *climbers)
{
	const struct profile *profile = builder->profile;
	size_t count = 0;
	int ret = 0;

	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++) {
		ret = begin_climb(builder, &profile->cells[i], &climbers[count]);
		count += ret > 0;
	}
	for (uint32_t depth = 1; count && ret >= 0 && depth != builder->options->depth; depth++) {
		size_t left = 0;

		for (size_t i = 0; i < count && ret >= 0; i++) {
			ret = climb(builder, &climbers[i]);
			if (ret > 0)
				climbers[left++] = climbers[i];
		}
		count = left;
	}
	return ret < 0 ? ret : 0;
}

static int build_up(struct builder *builder)
{
	struct climber *climbers = calloc(builder->profile->cell_count + 1, sizeof(*climbers));
	int ret = climbers ? climb_all(builder, climbers) : -ENOMEM;

	free(climbers);
	return ret;
}

/* ---- both ---- */

int tree_build(const struct profile *profile, const struct tree_functions *functions,
	       const struct tree_options *options, struct tree **ret_tree)
{
	struct builder builder = {
		.profile = profile,
		.functions = functions,
		.options = options,
		.tree = calloc(1, sizeof(struct tree)),
	};
	int ret;

	if (!builder.tree)
		return -ENOMEM;
	for (size_t i = 0; i < profile->cell_count; i++)
		builder.tree->total = ticks_add(builder.tree->total, profile->cells[i].ticks);
	progress_begin("call tree", "call stacks");
	ret = options->reverse ? build_up(&builder) : build_down(&builder);
	trie_done(&builder.paths);
	free(builder.places[0]);
	free(builder.places[1]);
	if (ret >= 0)
		ret = tree_put_in_order(builder.tree);
	if (ret >= 0 && !options->reverse)
		ret = tree_sum_up(builder.tree, functions->count);
	progress_end();
	if (ret < 0)
		(void)tree_free(builder.tree);
	else
		*ret_tree = builder.tree;
	return ret;
}

struct tree *tree_free(struct tree *tree)
{
	if (!tree)
		return NULL;
	free(tree->nodes);
	free(tree->sums);
	free(tree);
	return NULL;
}

bool tree_has_stacks(const struct profile *profile)
{
	bool has = profile->context_count > 0;

	for (size_t i = 0; i < profile->cell_count && !has; i++)
		has = profile->cells[i].stack_end != STACK_NONE;
	return has;
}

bool tree_is_cut(const struct profile *profile, const struct profile_cell *cell)
{
	const struct profile_location *location = &profile->locations[cell->location];

	if (cell->stack_end != STACK_NONE)
		return stack_end_is_cut(cell->stack_end);
	return profile->mappings[location->mapping].class != CLASS_IDLE;
}

void tree_ends(const struct profile *profile, uint64_t ret_ends[STACK_ENDS])
{
	for (int i = 0; i < STACK_ENDS; i++)
		ret_ends[i] = 0;
	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		enum stack_end end = cell->stack_end;

		if (end == STACK_NONE && !tree_is_cut(profile, cell))
			end = STACK_WHOLE;

		ret_ends[end] = ticks_add(ret_ends[end], cell->ticks);
	}
}
