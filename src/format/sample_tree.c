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

static int add_cell(struct sample_tree *tree, const struct profile_cell *cell)
{
	const struct profile_location *location = &tree->profile->locations[cell->location];
	uint32_t node = SAMPLE_NONE, offset = 0, depth = 0;
	int ret;

	if (!has_lines(tree, location))
		return 0;
	for (uint32_t i = location->line_count; i-- && depth < SAMPLE_DEPTH_MAX; depth++) {
		const struct profile_line *line = &tree->profile->lines[location->first_line + i];

		ret = find_node(tree, node, offset, line, &node);
		if (ret < 0)
			return ret;
		tree->nodes[node].ticks += cell->ticks;
		offset = offset_of(tree, line);
	}
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
