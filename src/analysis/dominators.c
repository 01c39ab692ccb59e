// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/dominators.h"

#include <errno.h>
#include <stdlib.h>

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

int dominators_find(struct graph *graph)
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
