// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/loops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* A function as steps; the ticks of a step are its number, so that sums tell which were added. */

#define NEXT                          \
	{                             \
		FLOW_NEXT, GRAPH_NONE \
	}
#define END                          \
	{                            \
		FLOW_END, GRAPH_NONE \
	}
#define BRANCH(to)              \
	{                       \
		FLOW_BRANCH, to \
	}
#define JUMP(to)              \
	{                     \
		FLOW_JUMP, to \
	}
#define AWAY                          \
	{                             \
		FLOW_JUMP, GRAPH_NONE \
	}
#define CALL                          \
	{                             \
		FLOW_CALL, GRAPH_NONE \
	}

static void find(const struct step *steps, uint32_t count, struct loops *ret_loops)
{
	uint64_t ticks[64];

	for (uint32_t i = 0; i < count; i++)
		ticks[i] = i;
	assert_int_equal(loops_find(steps, ticks, count, ret_loops), 0);
}

static void check(const struct loop *loop, uint32_t head, uint32_t first, uint32_t last,
		  uint32_t steps, uint32_t outer)
{
	assert_int_equal(loop->head, head);
	assert_int_equal(loop->first, first);
	assert_int_equal(loop->last, last);
	assert_int_equal(loop->steps, steps);
	assert_int_equal(loop->outer, outer);
}

static void test_none(void **state)
{
	const struct step steps[] = {NEXT, BRANCH(3), CALL, END};
	struct loops loops;

	find(steps, 4, &loops);
	assert_int_equal(loops.count, 0);
	assert_int_equal(loops.hot, LOOP_NONE);
	assert_int_equal(loops.of_steps[1], LOOP_NONE);
	loops_done(&loops);
	find(steps, 0, &loops);
	assert_int_equal(loops.count, 0);
	loops_done(&loops);
}

static void test_one(void **state)
{
	/* 0; 1: x; 2: if (c) goto 1; 3: return */
	const struct step steps[] = {NEXT, CALL, BRANCH(1), END};
	struct loops loops;

	find(steps, 4, &loops);
	assert_int_equal(loops.count, 1);
	check(&loops.items[0], 1, 1, 2, 2, LOOP_NONE);
	assert_int_equal(loops.items[0].ticks, 3);
	assert_int_equal(loops.hot, 0);
	assert_int_equal(loops.of_steps[0], LOOP_NONE);
	assert_int_equal(loops.of_steps[2], 0);
	loops_done(&loops);
}

static void test_itself(void **state)
{
	const struct step steps[] = {NEXT, BRANCH(1), END};
	struct loops loops;

	find(steps, 3, &loops);
	assert_int_equal(loops.count, 1);
	check(&loops.items[0], 1, 1, 1, 1, LOOP_NONE);
	loops_done(&loops);
}

static void test_nested(void **state)
{
	/* 1..5 around 2..3, which is entered at its end, as compilers turn them */
	const struct step steps[] = {NEXT, JUMP(3), NEXT, BRANCH(2), NEXT, BRANCH(1), END};
	struct loops loops;

	find(steps, 7, &loops);
	assert_int_equal(loops.count, 2);
	check(&loops.items[0], 1, 1, 5, 5, LOOP_NONE);
	check(&loops.items[1], 3, 2, 3, 2, 0);
	assert_int_equal(loops.items[0].ticks, 15);
	assert_int_equal(loops.of_steps[2], 1);
	assert_int_equal(loops.of_steps[4], 0);
	/* 5 of the outer one's 15 ticks are not more than half. */
	assert_int_equal(loops.hot, 0);
	loops_done(&loops);
}

static void test_hot_is_inner(void **state)
{
	const struct step steps[] = {NEXT, NEXT, NEXT, NEXT, NEXT, BRANCH(4), BRANCH(1), END};
	const uint64_t ticks[] = {0, 1, 0, 1, 3, 4, 2, 0};
	struct loops loops;

	assert_int_equal(loops_find(steps, ticks, 8, &loops), 0);
	assert_int_equal(loops.count, 2);
	assert_int_equal(loops.hot, 1);
	check(&loops.items[1], 4, 4, 5, 2, 0);
	loops_done(&loops);
}

static void test_switch(void **state)
{
	/* An interpreter: 1: jump through a table; 2, 4 and 6 are its cases, which nobody is seen
	 * to reach, and go back to 1. */
	const struct step steps[] = {NEXT, AWAY, NEXT, JUMP(1), NEXT, JUMP(1), END};
	struct loops loops;

	find(steps, 7, &loops);
	assert_int_equal(loops.count, 1);
	check(&loops.items[0], 1, 1, 5, 5, LOOP_NONE);
	assert_int_equal(loops.of_steps[6], LOOP_NONE);
	loops_done(&loops);
}

static void test_two_ways_in(void **state)
{
	/* 1 and 3 lead to each other, and 0 to both: no natural loop. */
	const struct step steps[] = {BRANCH(3), NEXT, JUMP(3), NEXT, BRANCH(1), END};
	struct loops loops;

	find(steps, 6, &loops);
	assert_int_equal(loops.count, 0);
	loops_done(&loops);
}

static void test_dead_code(void **state)
{
	/* Behind the end: a loop that only unwinding reaches is one all the same. */
	const struct step steps[] = {END, NEXT, BRANCH(1), END};
	struct loops loops;

	find(steps, 4, &loops);
	assert_int_equal(loops.count, 1);
	check(&loops.items[0], 1, 1, 2, 2, LOOP_NONE);
	loops_done(&loops);
}

/* By the definition itself: A dominates B if B cannot be reached without A.  On graphs drawn at
 * random, what the two find must agree for every pair. */
static bool reaches(const struct graph *graph, uint32_t without, uint32_t to)
{
	static bool seen[256];
	bool changed = true;

	memset(seen, 0, sizeof(seen));
	seen[GRAPH_ENTRY] = without != GRAPH_ENTRY;
	while (changed) {
		changed = false;
		for (size_t i = 0; i < graph->edge_count; i++) {
			const struct edge *edge = &graph->edges[i];

			if (seen[edge->from] && !seen[edge->to] && edge->to != without) {
				seen[edge->to] = true;
				changed = true;
			}
		}
	}
	return seen[to];
}

static void test_dominators(void **state)
{
	unsigned seed = 1;

	for (int round = 0; round < 200; round++) {
		struct step steps[40];
		struct graph graph;

		for (uint32_t i = 0; i < 40; i++) {
			seed = seed * 1103515245 + 12345;
			steps[i] = (struct step){(enum disasm_flow)((seed >> 16) % 5),
						 (seed >> 20) % 3 ? (seed >> 8) % 40 : GRAPH_NONE};
		}
		assert_int_equal(graph_build(steps, 40, &graph), 0);
		for (uint32_t a = 0; a < graph.block_count; a++)
			for (uint32_t b = 0; b < graph.block_count; b++) {
				if (!reaches(&graph, GRAPH_NONE, b) ||
				    !reaches(&graph, GRAPH_NONE, a))
					continue;
				assert_int_equal(graph_dominates(&graph, a, b),
						 a == b || !reaches(&graph, a, b));
			}
		graph_done(&graph);
	}
}

/* A step that begins it, LENGTH more of which the last goes back, and as many BEHIND it. */
static uint32_t hot_of(uint32_t length, uint32_t behind)
{
	struct step *steps = calloc(length + behind + 1, sizeof(*steps));
	uint64_t *ticks = calloc(length + behind + 1, sizeof(*ticks));
	struct loops loops;
	uint32_t hot;

	assert_non_null(steps);
	assert_non_null(ticks);
	for (uint32_t i = 0; i < length + behind; i++) {
		steps[i] = (struct step)NEXT;
		ticks[i] = 1;
	}
	steps[length - 1] = (struct step)BRANCH(0);
	steps[length + behind] = (struct step)END;
	assert_int_equal(loops_find(steps, ticks, length + behind + 1, &loops), 0);
	assert_int_equal(loops.count, 1);
	hot = loops.hot;
	loops_done(&loops);
	free(steps);
	free(ticks);
	return hot;
}

static void test_whole_function_is_not_hot(void **state)
{
	assert_int_equal(hot_of(6000, 500), LOOP_NONE);
	assert_int_equal(hot_of(6000, 6000), 0);
	assert_int_equal(hot_of(100, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_itself),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_hot_is_inner),
		cmocka_unit_test(test_switch),
		cmocka_unit_test(test_two_ways_in),
		cmocka_unit_test(test_dead_code),
		cmocka_unit_test(test_dominators),
		cmocka_unit_test(test_whole_function_is_not_hot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
