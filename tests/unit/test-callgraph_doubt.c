// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/callgraph_doubt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "graphs.h"

/* One run: b's ticks, and its calls by a and by c. */
static void add_run(struct doubts *doubts, struct profile *all, uint64_t of_b, uint64_t by_a,
		    uint64_t by_c)
{
	struct profile *run = functions(3);
	struct callgraph *graph;

	ticks(run, 'b', of_b);
	ticks(all, 'b', of_b);
	if (by_a)
		calls(run, 'a', 'b', by_a);
	if (by_c)
		calls(run, 'c', 'b', by_c);
	calls(all, 'a', 'b', by_a);
	calls(all, 'c', 'b', by_c);
	graph = graph_of(run);
	assert_int_equal(doubts_add(doubts, graph), 0);
	callgraph_free(graph);
	profile_free(run);
}

static const struct doubt *settled(struct doubts *doubts, struct profile *all,
				   struct callgraph **ret_graph)
{
	*ret_graph = graph_of(all);
	assert_int_equal(doubts_settle(doubts, *ret_graph), 0);
	return doubts->count ? doubts->items : NULL;
}

/* b costs c's calls ten times as much, and the runs have more and less of these. */
static void runs_contradict(void **state)
{
	struct doubts *doubts = doubts_new();
	struct profile *all = functions(3);
	struct callgraph *graph;
	const struct doubt *doubt;

	add_run(doubts, all, 1000 + 100, 1000, 10);
	add_run(doubts, all, 100 + 1000, 100, 100);
	doubt = settled(doubts, all, &graph);
	assert_non_null(doubt);
	assert_true(doubt->contradicted && doubt->score > 20);
	assert_int_equal(doubt->callers, 2);
	check(doubt->least, 1100. / 1010);
	check(doubt->most, 1100. / 200);
	callgraph_free(graph);
	profile_free(all);
	doubts_free(doubts);
}

/* As many ticks as are due: at stake, not contradicted, and the score is far below 0. */
static void runs_agree(void **state)
{
	struct doubts *doubts = doubts_new();
	struct profile *all = functions(3);
	struct callgraph *graph;
	const struct doubt *doubt;

	add_run(doubts, all, 1000, 900, 100);
	add_run(doubts, all, 2000, 200, 1800);
	doubt = settled(doubts, all, &graph);
	assert_non_null(doubt);
	assert_true(!doubt->contradicted && doubt->score < 0);
	check(doubt->stake, 3000);
	callgraph_free(graph);
	profile_free(all);
	doubts_free(doubts);
}

/* One caller has it all, whatever a call costs. */
static void one_caller_is_no_doubt(void **state)
{
	struct doubts *doubts = doubts_new();
	struct profile *all = functions(3);
	struct callgraph *graph;

	add_run(doubts, all, 1000, 900, 0);
	add_run(doubts, all, 9000, 200, 0);
	assert_null(settled(doubts, all, &graph));
	callgraph_free(graph);
	profile_free(all);
	doubts_free(doubts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_contradict),
		cmocka_unit_test(runs_agree),
		cmocka_unit_test(one_caller_is_no_doubt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
