// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/graph.h"

#include "analysis/dominators.h"
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

static bool ends_block(const struct step *step)
{
	return step->flow == FLOW_BRANCH || step->flow == FLOW_JUMP || step->flow == FLOW_END;
}

static bool falls_through(const struct step *step)
{
	return step->flow != FLOW_JUMP && step->flow != FLOW_END;
}

static bool has_target(const struct step *step)
{
	return step->target != GRAPH_NONE && (step->flow == FLOW_BRANCH || step->flow == FLOW_JUMP);
}

/* For each step the number of its block.  Heap, or NULL when memory is short. */
static uint32_t *number_blocks(const struct step *steps, uint32_t count, uint32_t *ret_blocks)
{
	uint32_t *blocks = calloc((size_t)count + 1, sizeof(*blocks));
	uint32_t number = GRAPH_FIRST;

	if (!blocks)
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		if (has_target(&steps[i]))
			blocks[steps[i].target] = 1;
		if (ends_block(&steps[i]))
			blocks[i + 1] = 1;
	}
	for (uint32_t i = 0; i < count; i++) {
		number += i && blocks[i];
		blocks[i] = number;
	}
	*ret_blocks = count ? number + 1 : GRAPH_FIRST;
	return blocks;
}

static void fill_blocks(struct graph *graph, const struct step *steps, uint32_t count,
			const uint32_t *blocks)
{
	for (uint32_t i = 0; i < graph->block_count; i++)
		graph->blocks[i] = (struct block){.next = {GRAPH_NONE, GRAPH_NONE}};
	for (uint32_t i = 0; i < count; i++) {
		struct block *block = &graph->blocks[blocks[i]];

		if (!i || blocks[i] != blocks[i - 1])
			block->first = i;
		block->end = i + 1;
		if (i + 1 < count && blocks[i + 1] == blocks[i])
			continue;
		if (falls_through(&steps[i]) && i + 1 < count)
			block->next[0] = blocks[i + 1];
		if (has_target(&steps[i]))
			block->next[1] = blocks[steps[i].target];
		block->dispatches = steps[i].flow == FLOW_JUMP && !has_target(&steps[i]);
	}
}

/* A jump out of the function (a tail call) dispatches too, as far as can be seen here, which does
 * no harm: without tables there is nothing for it to reach. */
static bool find_orphans(struct graph *graph)
{
	bool dispatches = false;

	for (uint32_t i = GRAPH_FIRST; i < graph->block_count; i++)
		graph->blocks[i].is_orphan = true;
	for (uint32_t i = GRAPH_FIRST; i < graph->block_count; i++) {
		struct block *block = &graph->blocks[i];

		dispatches |= block->dispatches;
		for (int k = 0; k < 2; k++)
			if (block->next[k] != GRAPH_NONE)
				graph->blocks[block->next[k]].is_orphan = false;
	}
	return dispatches;
}

static int add_edge(struct graph *graph, uint32_t from, uint32_t to)
{
	int ret = ARRAY_RESERVE(graph->edges, graph->edge_capacity, graph->edge_count + 1);

	if (!ret)
		graph->edges[graph->edge_count++] = (struct edge){from, to};
	return ret;
}

static int add_real_edges(struct graph *graph)
{
	int ret = 0;

	for (uint32_t i = GRAPH_FIRST; i < graph->block_count && !ret; i++) {
		const struct block *block = &graph->blocks[i];

		for (int k = 0; k < 2 && !ret; k++)
			if (block->next[k] != GRAPH_NONE)
				ret = add_edge(graph, i, block->next[k]);
		if (!ret && block->dispatches)
			ret = add_edge(graph, i, GRAPH_DISPATCH);
	}
	return ret;
}

/* Lead from FROM to BLOCK; it and all that it leads to is reached.  STACK has room for all blocks.
 */
static int reach(struct graph *graph, uint32_t from, uint32_t block, uint32_t *stack)
{
	uint32_t depth = 0;

	stack[depth++] = block;
	graph->blocks[block].is_reached = true;
	while (depth) {
		const struct block *top = &graph->blocks[stack[--depth]];

		for (int k = 0; k < 2; k++) {
			uint32_t next = top->next[k];

			if (next == GRAPH_NONE || graph->blocks[next].is_reached)
				continue;
			graph->blocks[next].is_reached = true;
			stack[depth++] = next;
		}
	}
	return add_edge(graph, from, block);
}

/* Ways to code that nobody is seen to reach: first to what begins somewhere, a case or what
 * unwinding goes to, then to circles that are left. */
static int add_ways(struct graph *graph, uint32_t *stack)
{
	uint32_t nowhere = find_orphans(graph) ? GRAPH_DISPATCH : GRAPH_ENTRY;
	int ret = 0;

	if (graph->block_count > GRAPH_FIRST)
		ret = reach(graph, GRAPH_ENTRY, GRAPH_FIRST, stack);
	for (int circles = 0; circles < 2; circles++) {
		for (uint32_t i = GRAPH_FIRST; i < graph->block_count && !ret; i++)
			if (!graph->blocks[i].is_reached && (circles || graph->blocks[i].is_orphan))
				ret = reach(graph, nowhere, i, stack);
	}
	return ret;
}

static int add_edges(struct graph *graph)
{
	uint32_t *stack = calloc(graph->block_count, sizeof(*stack));
	int ret = stack ? add_real_edges(graph) : -ENOMEM;

	if (!ret)
		ret = add_ways(graph, stack);
	free(stack);
	return ret;
}

static int compare_edges(const void *left, const void *right)
{
	const struct edge *a = left, *b = right;

	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

static int index_edges(struct graph *graph)
{
	size_t edge = 0;

	ARRAY_SORT(graph->edges, graph->edge_count, compare_edges);
	graph->first_edge = calloc((size_t)graph->block_count + 1, sizeof(*graph->first_edge));
	if (!graph->first_edge)
		return -ENOMEM;
	for (uint32_t i = 0; i <= graph->block_count; i++) {
		while (edge < graph->edge_count && graph->edges[edge].to < i)
			edge++;
		graph->first_edge[i] = (uint32_t)edge;
	}
	return 0;
}

static int build(struct graph *graph, const struct step *steps, uint32_t count)
{
	uint32_t *blocks = number_blocks(steps, count, &graph->block_count);
	int ret = -ENOMEM;

	if (!blocks)
		return ret;
	graph->blocks = calloc(graph->block_count, sizeof(*graph->blocks));
	if (graph->blocks) {
		fill_blocks(graph, steps, count, blocks);
		ret = add_edges(graph);
	}
	free(blocks);
	if (!ret)
		ret = index_edges(graph);
	return ret ? ret : dominators_find(graph);
}

int graph_build(const struct step *steps, uint32_t count, struct graph *ret_graph)
{
	int ret;

	*ret_graph = (struct graph){0};
	ret = build(ret_graph, steps, count);
	if (ret)
		graph_done(ret_graph);
	return ret;
}

void graph_done(struct graph *graph)
{
	free(graph->blocks);
	free(graph->edges);
	free(graph->first_edge);
	free(graph->dominators);
	free(graph->ranks);
	*graph = (struct graph){0};
}
