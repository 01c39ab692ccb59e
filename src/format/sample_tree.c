// SPDX-License-Identifier: BSD-2-Clause
#include "format/sample_tree.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

#define OFFSET_MASK 0xffff /* LLVM keeps so much of an offset */

static const struct profile_function *function_of(const struct sample_tree *tree,
						  const struct profile_line *line)
{
	return &tree->profile->functions[line->function];
}

static uint32_t offset_of(const struct sample_tree *tree, const struct profile_line *line)
{
	return (line->line - function_of(tree, line)->start_line) & OFFSET_MASK;
}

static bool has_lines(const struct sample_tree *tree, const struct profile_location *location)
{
	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct profile_line *line = &tree->profile->lines[location->first_line + i];
		const struct profile_function *function = function_of(tree, line);

		if (!line->line || !function->start_line || !function->system_name)
			return false;
	}
	return location->line_count && location->kind == LOCATION_ADDRESS;
}

/* The node of the function that LINE is in, below PARENT (SAMPLE_NONE: a root), which calls it from
 * its line CALL. */
static int find_node(struct sample_tree *tree, uint32_t parent, uint32_t call,
		     const struct profile_line *line, uint32_t *ret_node)
{
	struct sample_node node = {
		.function = function_of(tree, line)->system_name,
		.offset = call,
		.lines = SAMPLE_NONE,
		.children = SAMPLE_NONE,
	};
	struct key key = {{parent, call, node.function}};
	uint32_t *first;
	int ret = keyset_add(&tree->node_keys, &key, ret_node);

	if (ret <= 0)
		return ret;
	if (ARRAY_RESERVE(tree->nodes, tree->node_capacity, tree->node_keys.count))
		return -ENOMEM;
	first = parent == SAMPLE_NONE ? &tree->roots : &tree->nodes[parent].children;
	node.next = *first;
	*first = *ret_node;
	tree->nodes[*ret_node] = node;
	return 0;
}

static int add_to_line(struct sample_tree *tree, uint32_t node, uint32_t offset, uint64_t ticks)
{
	struct key key = {{node, offset}};
	uint32_t number;
	int ret = keyset_add(&tree->line_keys, &key, &number);

	if (ret < 0 || ARRAY_RESERVE(tree->lines, tree->line_capacity, tree->line_keys.count))
		return -ENOMEM;
	if (ret > 0) {
		tree->lines[number] = (struct sample_line){offset, tree->nodes[node].lines, 0};
		tree->nodes[node].lines = number;
	}
	tree->lines[number].ticks += ticks;
	return 0;
}

/* The places of a stack, innermost first, and how many frames they are with what is inlined. */
struct sample_stack {
	const struct profile_location *places[SAMPLE_DEPTH_MAX];
	uint32_t count, depth;
};

/* The function of the symbol table. */
static const struct profile_function *outermost_of(const struct sample_tree *tree,
						   const struct profile_location *location)
{
	return function_of(tree,
			   &tree->profile->lines[location->first_line + location->line_count - 1]);
}

static bool is_in(const struct sample_tree *tree, const struct sample_stack *stack,
		  const struct profile_function *function)
{
	for (uint32_t i = 0; i < stack->count; i++)
		if (outermost_of(tree, stack->places[i])->system_name == function->system_name)
			return true;
	return false;
}

/* Whether CONTEXT is a call of the outermost place of STACK that the compiler could inline. */
static bool could_inline(const struct sample_tree *tree, const struct sample_stack *stack,
			 const struct profile_context *context)
{
	const struct profile_location *callee = stack->places[stack->count - 1];
	const struct profile_location *caller = &tree->profile->locations[context->location];
	const struct profile_function *outer;

	if (context->interrupted || context->folded || caller->mapping != callee->mapping ||
	    !has_lines(tree, caller) || stack->depth + caller->line_count > SAMPLE_DEPTH_MAX)
		return false;
	outer = outermost_of(tree, caller);
	return outer->file && outer->file == outermost_of(tree, callee)->file &&
	       !is_in(tree, stack, outer);
}

static void fill_stack(const struct sample_tree *tree, const struct profile_cell *cell,
		       struct sample_stack *stack)
{
	const struct profile *profile = tree->profile;
	uint32_t context = tree->by_contexts ? cell->context : 0;

	stack->places[0] = &profile->locations[cell->location];
	stack->count = 1;
	stack->depth = stack->places[0]->line_count;
	while (context && could_inline(tree, stack, &profile->contexts[context - 1])) {
		const struct profile_context *call = &profile->contexts[context - 1];

		stack->places[stack->count++] = &profile->locations[call->location];
		stack->depth += profile->locations[call->location].line_count;
		context = call->parent;
	}
}

/* TICKS at LOCATION, which is below *NODE, called from its line *OFFSET; they become what that is
 * to what LOCATION calls. */
static int add_location(struct sample_tree *tree, const struct profile_location *location,
			uint64_t ticks, uint32_t *node, uint32_t *offset)
{
	uint32_t depth = 0;

	for (uint32_t i = location->line_count; i-- && depth < SAMPLE_DEPTH_MAX; depth++) {
		const struct profile_line *line = &tree->profile->lines[location->first_line + i];
		int ret = find_node(tree, *node, *offset, line, node);

		if (ret < 0)
			return ret;
		tree->nodes[*node].ticks += ticks;
		*offset = offset_of(tree, line);
	}
	return 0;
}

static int add_cell(struct sample_tree *tree, const struct profile_cell *cell)
{
	uint32_t node = SAMPLE_NONE, offset = 0;
	struct sample_stack stack;
	int ret = 0;

	if (!has_lines(tree, &tree->profile->locations[cell->location]))
		return 0;
	fill_stack(tree, cell, &stack);
	for (uint32_t i = stack.count; i-- && ret >= 0;)
		ret = add_location(tree, stack.places[i], cell->ticks, &node, &offset);
	if (ret < 0)
		return ret;
	tree->ticks += cell->ticks;
	return add_to_line(tree, node, offset, cell->ticks);
}

int sample_tree_make(struct sample_tree *tree)
{
	int ret = 0;

	tree->roots = SAMPLE_NONE;
	for (size_t i = 0; i < tree->profile->cell_count && ret >= 0; i++)
		ret = add_cell(tree, &tree->profile->cells[i]);
	return ret;
}

void sample_tree_done(struct sample_tree *tree)
{
	free(tree->nodes);
	free(tree->lines);
	keyset_done(&tree->node_keys);
	keyset_done(&tree->line_keys);
}
