// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/loops.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Loops nest a few levels deep where a compiler made them.  Code made to nest thousands would cost
 * its square: beyond so many visits of blocks the rest stays unfound. */
#define VISITS_MAX 50000000

/* A loop of so many instructions or more is no place, but a part of the program. */
#define LARGE_STEPS 200

/* A loop while its blocks are looked for. */
struct body {
	uint32_t head; /* block */
	uint32_t first_mark, mark_count;
};

struct search {
	const struct graph *graph;
	struct body *bodies;
	size_t body_count, body_capacity;
	uint32_t *marks; /* the blocks of all bodies, one body behind the other */
	size_t mark_count, mark_capacity;
	uint32_t *seen; /* for each block the last body, + 1, that was found to have it */
	size_t visits;
};

static int visit(struct search *search, uint32_t block)
{
	uint32_t body = (uint32_t)search->body_count;
	int ret;

	search->visits++;
	if (search->seen[block] == body)
		return 0;
	search->seen[block] = body;
	ret = ARRAY_RESERVE(search->marks, search->mark_capacity, search->mark_count + 1);
	if (!ret)
		search->marks[search->mark_count++] = block;
	return ret;
}

/* The blocks from which the head is reached without passing it: backwards from the ends of the
 * loop's back edges.  The marks of the body are the list of those still to do. */
static int collect(struct search *search, struct body *body)
{
	const struct graph *graph = search->graph;
	int ret = 0;

	for (size_t i = body->first_mark + 1; i < search->mark_count && !ret; i++) {
		uint32_t block = search->marks[i];

		for (uint32_t e = graph->first_edge[block];
		     e < graph->first_edge[block + 1] && !ret; e++)
			if (graph->dominators[graph->edges[e].from] != GRAPH_NONE)
				ret = visit(search, graph->edges[e].from);
	}
	body->mark_count = (uint32_t)(search->mark_count - body->first_mark);
	return ret;
}

/* The loop whose head is BLOCK, if it is one. */
static int find_body(struct search *search, uint32_t block)
{
	const struct graph *graph = search->graph;
	struct body *body = NULL;
	int ret = 0;

	for (uint32_t e = graph->first_edge[block]; e < graph->first_edge[block + 1] && !ret; e++) {
		uint32_t from = graph->edges[e].from;

		if (!graph_dominates(graph, block, from))
			continue;
		if (!body) {
			ret = ARRAY_RESERVE(search->bodies, search->body_capacity,
					    search->body_count + 1);
			if (ret)
				return ret;
			body = &search->bodies[search->body_count++];
			*body = (struct body){.head = block,
					      .first_mark = (uint32_t)search->mark_count};
			ret = visit(search, block);
		}
		if (!ret)
			ret = visit(search, from);
	}
	return body && !ret ? collect(search, body) : ret;
}

static int find_bodies(struct search *search)
{
	int ret = 0;

	for (uint32_t i = GRAPH_FIRST; i < search->graph->block_count && !ret; i++)
		if (search->visits < VISITS_MAX)
			ret = find_body(search, i);
	return ret;
}

/* Bigger ones first: a loop stands behind those around it. */
static int compare_bodies(const void *left, const void *right)
{
	const struct body *a = left, *b = right;

	if (a->mark_count != b->mark_count)
		return a->mark_count > b->mark_count ? -1 : 1;
	return a->head < b->head ? -1 : a->head > b->head;
}

static void add_block(struct loops *loops, uint32_t number, const struct block *block,
		      const uint64_t *ticks)
{
	struct loop *loop = &loops->items[number];

	if (block->first < loop->first)
		loop->first = block->first;
	if (block->end - 1 > loop->last)
		loop->last = block->end - 1;
	for (uint32_t i = block->first; i < block->end; i++) {
		loop->ticks += ticks[i];
		loop->steps++;
		loops->of_steps[i] = number;
	}
}

static void fill_loop(const struct search *search, const uint64_t *ticks, struct loops *loops,
		      uint32_t number)
{
	const struct body *body = &search->bodies[number];
	uint32_t head = search->graph->blocks[body->head].first;

	loops->items[number] = (struct loop){
		.head = head, .first = head, .last = head, .outer = loops->of_steps[head]};
	for (uint32_t i = 0; i < body->mark_count; i++) {
		uint32_t block = search->marks[body->first_mark + i];

		if (block >= GRAPH_FIRST)
			add_block(loops, number, &search->graph->blocks[block], ticks);
	}
}

static uint32_t hottest_within(const struct loops *loops, uint32_t outer)
{
	uint32_t best = LOOP_NONE;

	for (uint32_t i = 0; i < loops->count; i++)
		if (loops->items[i].outer == outer && loops->items[i].ticks &&
		    (best == LOOP_NONE || loops->items[i].ticks > loops->items[best].ticks))
			best = i;
	return best;
}

/* An interpreter's dispatch loop is all of its function: that says nothing of where to look. */
static bool is_whole(const struct loop *loop, uint32_t count)
{
	return loop->steps >= LARGE_STEPS && loop->steps > count / 4 * 3;
}

static void choose_hot(struct loops *loops, uint32_t count)
{
	uint32_t inner = hottest_within(loops, LOOP_NONE);

	loops->hot = LOOP_NONE;
	while (inner != LOOP_NONE) {
		loops->hot = inner;
		inner = hottest_within(loops, loops->hot);
		if (inner != LOOP_NONE &&
		    loops->items[inner].ticks <= loops->items[loops->hot].ticks / 2)
			inner = LOOP_NONE;
	}
	if (loops->hot != LOOP_NONE && is_whole(&loops->items[loops->hot], count))
		loops->hot = LOOP_NONE;
}

static int fill(struct search *search, const uint64_t *ticks, uint32_t count, struct loops *loops)
{
	loops->items = calloc(search->body_count + 1, sizeof(*loops->items));
	loops->of_steps = calloc((size_t)count + 1, sizeof(*loops->of_steps));
	if (!loops->items || !loops->of_steps)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		loops->of_steps[i] = LOOP_NONE;
	ARRAY_SORT(search->bodies, search->body_count, compare_bodies);
	for (; loops->count < search->body_count; loops->count++)
		fill_loop(search, ticks, loops, loops->count);
	choose_hot(loops, count);
	return 0;
}

int loops_find(const struct step *steps, const uint64_t *ticks, uint32_t count,
	       struct loops *ret_loops)
{
	struct search search = {0};
	struct graph graph;
	int ret = graph_build(steps, count, &graph);

	if (ret)
		return ret;
	*ret_loops = (struct loops){0};
	search.graph = &graph;
	search.seen = calloc(graph.block_count + 1, sizeof(*search.seen));
	ret = search.seen ? find_bodies(&search) : -ENOMEM;
	if (!ret)
		ret = fill(&search, ticks, count, ret_loops);
	if (ret)
		loops_done(ret_loops);
	free(search.seen);
	free(search.bodies);
	free(search.marks);
	graph_done(&graph);
	return ret;
}

void loops_done(struct loops *loops)
{
	free(loops->items);
	free(loops->of_steps);
	*loops = (struct loops){0};
}
