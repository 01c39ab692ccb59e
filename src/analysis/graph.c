// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/graph.h"

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

struct walk {
	struct graph *graph;
	uint32_t *last_edge; /* edges by where they come from: the list's head for each block ... */
	uint32_t *older;     /* ... and for each edge the one added before it */
	uint32_t *ranks;     /* the graph's */
	uint32_t *order;     /* the blocks in postorder */
	uint32_t *stack;
	uint32_t reached, depth;
};

static void link_edges(struct walk *walk)
{
	const struct graph *graph = walk->graph;

	for (uint32_t i = 0; i < graph->block_count; i++)
		walk->last_edge[i] = walk->ranks[i] = GRAPH_NONE;
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		uint32_t from = graph->edges[i].from;

		walk->older[i] = walk->last_edge[from];
		walk->last_edge[from] = i;
	}
}

/* A block is ranked GRAPH_NONE until it is met, ON_STACK until all that it leads to is ranked.  The
 * walk uses up the lists of edges. */
#define ON_STACK (GRAPH_NONE - 1)

static void enter(struct walk *walk, uint32_t block)
{
	walk->ranks[block] = ON_STACK;
	walk->stack[walk->depth++] = block;
}

static void walk_depth_first(struct walk *walk)
{
	enter(walk, GRAPH_ENTRY);
	while (walk->depth) {
		uint32_t block = walk->stack[walk->depth - 1];
		uint32_t edge = walk->last_edge[block], to;

		if (edge == GRAPH_NONE) {
			walk->order[walk->reached] = block;
			walk->ranks[block] = walk->reached++;
			walk->depth--;
			continue;
		}
		walk->last_edge[block] = walk->older[edge];
		to = walk->graph->edges[edge].to;
		if (walk->ranks[to] == GRAPH_NONE)
			enter(walk, to);
	}
}

static uint32_t meet(const struct walk *walk, uint32_t a, uint32_t b)
{
	const uint32_t *dominators = walk->graph->dominators;

	while (a != b) {
		while (walk->ranks[a] < walk->ranks[b])
			a = dominators[a];
		while (walk->ranks[b] < walk->ranks[a])
			b = dominators[b];
	}
	return a;
}

/* Returns whether anything changed. */
static bool improve(struct walk *walk, uint32_t block)
{
	struct graph *graph = walk->graph;
	uint32_t best = GRAPH_NONE;

	for (uint32_t i = graph->first_edge[block]; i < graph->first_edge[block + 1]; i++) {
		uint32_t from = graph->edges[i].from;

		if (walk->ranks[from] == GRAPH_NONE || graph->dominators[from] == GRAPH_NONE)
			continue;
		best = best == GRAPH_NONE ? from : meet(walk, from, best);
	}
	if (graph->dominators[block] == best)
		return false;
	graph->dominators[block] = best;
	return true;
}

static void settle(struct walk *walk)
{
	bool changed = true;

	walk->graph->dominators[GRAPH_ENTRY] = GRAPH_ENTRY;
	while (changed) {
		changed = false;
		/* In reverse postorder, without the entry, which comes last in postorder. */
		for (uint32_t i = walk->reached - 1; i-- > 0;)
			changed |= improve(walk, walk->order[i]);
	}
}

/* Fill GRAPH->dominators, the rest of it being there: K. D. Cooper, T. J. Harvey, K. Kennedy, "A
 * Simple, Fast Dominance Algorithm", 2001.  Returns 0 or -ENOMEM. */
static int find_dominators(struct graph *graph)
{
	size_t blocks = graph->block_count;
	uint32_t *room = calloc(3 * blocks + graph->edge_count + 1, sizeof(*room));
	struct walk walk = {.graph = graph, .last_edge = room};

	graph->dominators = calloc(blocks + 1, sizeof(*graph->dominators));
	graph->ranks = calloc(blocks + 1, sizeof(*graph->ranks));
	if (!room || !graph->dominators || !graph->ranks) {
		free(room);
		return -ENOMEM;
	}
	walk.ranks = graph->ranks;
	walk.order = room + blocks;
	walk.stack = room + 2 * blocks;
	walk.older = room + 3 * blocks;
	for (size_t i = 0; i < blocks; i++)
		graph->dominators[i] = GRAPH_NONE;
	link_edges(&walk);
	walk_depth_first(&walk);
	settle(&walk);
	free(room);
	return 0;
}

/* What dominates a block comes behind it in postorder: no need to climb past A. */
bool graph_dominates(const struct graph *graph, uint32_t a, uint32_t b)
{
	if (graph->dominators[b] == GRAPH_NONE)
		return false;
	while (b != a && graph->ranks[b] < graph->ranks[a])
		b = graph->dominators[b];
	return b == a;
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
	return ret ? ret : find_dominators(graph);
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
