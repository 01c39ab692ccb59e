// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/callgraph.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

/* Cycles are the strongly connected components of more than one node, found by Tarjan's walk
 * (R. Tarjan, Depth-first search and linear graph algorithms, 1972), without recursion, for a graph
 * may be as deep as it likes.  The walk is done with a component only after all that it calls, so
 * that times are handed up on the way. */

struct walk {
	struct callgraph *graph;
	uint32_t *order;  /* of each node, when it was met, from 1 on; 0: not yet */
	uint32_t *lowest; /* the earliest that is known to be in one component with it */
	uint32_t *next;	  /* of each node's arcs, how many have been gone along */
	bool *is_open;	  /* its component is not known yet */
	uint32_t *open;	  /* those, in the order in which they were met */
	uint32_t *path;	  /* the way to here */
	uint32_t open_count, path_count, met, member_count;
};

static uint32_t lower(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

uint64_t callgraph_calls_into(const struct callgraph *graph, const struct callgraph_node *node)
{
	return node->cycle == CALLGRAPH_NONE ? node->calls : graph->cycles[node->cycle].calls;
}

double callgraph_total(const struct callgraph *graph, const struct callgraph_node *node)
{
	const struct callgraph_cycle *cycle;

	if (node->cycle == CALLGRAPH_NONE)
		return (double)node->ticks + node->below;
	cycle = &graph->cycles[node->cycle];
	return (double)cycle->ticks + cycle->below;
}

static bool are_in_one(const struct callgraph_node *a, const struct callgraph_node *b)
{
	return a->cycle != CALLGRAPH_NONE && a->cycle == b->cycle;
}

/* ---- times ---- */

/* What the calls of ARC hand up.  All of the callee is known, and its cycle. */
static void hand_up(struct callgraph *graph, struct callgraph_arc *arc)
{
	struct callgraph_node *caller = &graph->nodes[arc->caller];
	const struct callgraph_node *callee = &graph->nodes[arc->callee];
	uint64_t calls = callgraph_calls_into(graph, callee);
	bool in_cycle = callee->cycle != CALLGRAPH_NONE;
	double share = calls ? (double)arc->count / (double)calls : 0;

	if (are_in_one(caller, callee))
		return;
	arc->own = share * (double)(in_cycle ? graph->cycles[callee->cycle].ticks : callee->ticks);
	arc->below = share * (in_cycle ? graph->cycles[callee->cycle].below : callee->below);
	caller->below += arc->own + arc->below;
}

static void collect_from(struct callgraph *graph, uint32_t index)
{
	const struct callgraph_node *node = &graph->nodes[index];

	for (uint32_t i = 0; i < node->count; i++)
		hand_up(graph, &graph->arcs[node->first + i]);
}

static void count_cycle(struct callgraph *graph, struct callgraph_cycle *cycle)
{
	for (uint32_t i = 0; i < cycle->count; i++) {
		const struct callgraph_node *node = &graph->nodes[graph->members[cycle->first + i]];

		cycle->ticks = ticks_add(cycle->ticks, node->ticks);
		cycle->below += node->below;
		cycle->calls = ticks_add(cycle->calls, node->unknown_calls);
		for (uint32_t j = 0; j < node->in_count; j++) {
			const struct callgraph_arc *arc =
				&graph->arcs[graph->incoming[node->first_in + j]];
			uint64_t *sum = are_in_one(&graph->nodes[arc->caller], node)
						? &cycle->inner_calls
						: &cycle->calls;

			*sum = ticks_add(*sum, arc->count);
		}
	}
}

/* ---- components ---- */

/* Most time with what is below first. */
static int compare_members(const void *left, const void *right, void *context)
{
	const struct callgraph_node *nodes = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	double one = (double)nodes[a].ticks + nodes[a].below;
	double other = (double)nodes[b].ticks + nodes[b].below;

	if (one != other)
		return one > other ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* The last COUNT of the open nodes are one. */
static void close_component(struct walk *walk, uint32_t count)
{
	struct callgraph *graph = walk->graph;
	uint32_t *members = walk->open + walk->open_count - count;
	struct callgraph_cycle *cycle = &graph->cycles[graph->cycle_count];

	walk->open_count -= count;
	for (uint32_t i = 0; i < count; i++) {
		walk->is_open[members[i]] = false;
		if (count > 1) {
			graph->nodes[members[i]].cycle = (uint32_t)graph->cycle_count;
			graph->members[walk->member_count + i] = members[i];
		}
	}
	for (uint32_t i = 0; i < count; i++)
		collect_from(graph, members[i]);
	if (count == 1)
		return;
	*cycle = (struct callgraph_cycle){.first = walk->member_count, .count = count};
	ARRAY_SORT_BY(graph->members + cycle->first, count, compare_members, graph->nodes);
	walk->member_count += count;
	graph->cycle_count++;
	count_cycle(graph, cycle);
}

static void meet(struct walk *walk, uint32_t node)
{
	walk->order[node] = walk->lowest[node] = ++walk->met;
	walk->is_open[node] = true;
	walk->open[walk->open_count++] = node;
	walk->path[walk->path_count++] = node;
}

/* All of NODE's arcs have been gone along. */
static void leave(struct walk *walk, uint32_t node)
{
	uint32_t count = 1, *above;

	walk->path_count--;
	if (walk->path_count) {
		above = &walk->lowest[walk->path[walk->path_count - 1]];
		*above = lower(*above, walk->lowest[node]);
	}
	if (walk->lowest[node] != walk->order[node])
		return;
	while (walk->open[walk->open_count - count] != node)
		count++;
	close_component(walk, count);
}

static void walk_from(struct walk *walk, uint32_t start)
{
	const struct callgraph *graph = walk->graph;

	meet(walk, start);
	while (walk->path_count) {
		uint32_t node = walk->path[walk->path_count - 1], callee;

		if (walk->next[node] == graph->nodes[node].count) {
			leave(walk, node);
			continue;
		}
		callee = graph->arcs[graph->nodes[node].first + walk->next[node]++].callee;
		if (!walk->order[callee])
			meet(walk, callee);
		else if (walk->is_open[callee])
			walk->lowest[node] = lower(walk->lowest[node], walk->order[callee]);
	}
}

static int walk_all(struct callgraph *graph)
{
	size_t room = graph->node_count + 1;
	struct walk walk = {
		.graph = graph,
		.order = calloc(room, sizeof(*walk.order)),
		.lowest = calloc(room, sizeof(*walk.lowest)),
		.next = calloc(room, sizeof(*walk.next)),
		.is_open = calloc(room, sizeof(*walk.is_open)),
		.open = calloc(room, sizeof(*walk.open)),
		.path = calloc(room, sizeof(*walk.path)),
	};
	int ret = -ENOMEM;

	if (walk.order && walk.lowest && walk.next && walk.is_open && walk.open && walk.path)
		ret = 0;
	for (uint32_t i = 0; i < graph->node_count && ret >= 0; i++)
		if (!walk.order[i])
			walk_from(&walk, i);
	free(walk.order);
	free(walk.lowest);
	free(walk.next);
	free(walk.is_open);
	free(walk.open);
	free(walk.path);
	return ret;
}

/* ---- who calls whom ---- */

/* Arcs are by caller, then callee; so those of one callee, taken in their order, are by caller. */
static void link_arcs(struct callgraph *graph)
{
	uint32_t first = 0;

	for (size_t i = 0; i < graph->arc_count; i++) {
		struct callgraph_node *caller = &graph->nodes[graph->arcs[i].caller];

		if (!caller->count++)
			caller->first = (uint32_t)i;
		graph->nodes[graph->arcs[i].callee].in_count++;
	}
	for (size_t i = 0; i < graph->node_count; i++) {
		graph->nodes[i].first_in = first;
		first += graph->nodes[i].in_count;
		graph->nodes[i].in_count = 0;
	}
	for (size_t i = 0; i < graph->arc_count; i++) {
		struct callgraph_node *callee = &graph->nodes[graph->arcs[i].callee];

		graph->incoming[callee->first_in + callee->in_count++] = (uint32_t)i;
	}
}

int callgraph_settle(struct callgraph *graph)
{
	graph->incoming = calloc(graph->arc_count + 1, sizeof(*graph->incoming));
	graph->cycles = calloc(graph->node_count / 2 + 1, sizeof(*graph->cycles));
	graph->members = calloc(graph->node_count + 1, sizeof(*graph->members));
	if (!graph->incoming || !graph->cycles || !graph->members)
		return -ENOMEM;
	link_arcs(graph);
	return walk_all(graph);
}
