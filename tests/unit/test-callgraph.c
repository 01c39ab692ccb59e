// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/callgraph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "analysis/callgraph_doubt.h"
#include "dice.h"
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- profiles of functions called a, b, c ... ---- */

/* Of each function one location, whose number is its own. */
static struct profile *functions(size_t count)
{
	static const struct file_identity none;
	struct profile *profile = profile_new();

	assert_non_null(profile);
	samples_mapping(profile, CLASS_PROGRAM, "/bin/p", "", "", &none);
	for (uint32_t i = 0; i < count; i++) {
		struct profile_function function = {.start_line = 1};
		struct profile_line line = {.function = i};
		struct profile_location location = {
			.address = 0x10 * i, .first_line = i, .line_count = 1};
		char name[16];
		uint32_t index;

		if (i < 26)
			(void)snprintf(name, sizeof(name), "%c", 'a' + (char)i);
		else
			(void)snprintf(name, sizeof(name), "f%u", i);
		function.name = samples_text(profile, name);
		assert_int_equal(profile_add_function(profile, &function, &index), 0);
		assert_int_equal(profile_add_line(profile, &line, &index), 0);
		assert_int_equal(profile_add_location(profile, &location, &index), 0);
	}
	return profile;
}

static void ticks(struct profile *profile, char function, uint64_t count)
{
	struct profile_cell cell = {
		.location = (uint32_t)(function - 'a'), .task = PROFILE_NO_TASK, .ticks = count};

	assert_int_equal(profile_add_cell(profile, &cell), 0);
}

/* CALLER '-' is nobody. */
static void calls(struct profile *profile, char caller, char callee, uint64_t count)
{
	samples_call(profile, caller == '-' ? PROFILE_NO_CALLER : (uint32_t)(caller - 'a'),
		     (uint32_t)(callee - 'a'), count);
}

static struct callgraph *graph_of(const struct profile *profile)
{
	struct callgraph *graph;

	assert_int_equal(callgraph_build(profile, &graph), 0);
	return graph;
}

static const struct callgraph_node *node(const struct callgraph *graph, char function)
{
	for (size_t i = 0; i < graph->node_count; i++)
		if (graph->nodes[i].name[0] == function && !graph->nodes[i].name[1])
			return &graph->nodes[i];
	fail_msg("%c is not in the graph", function);
	return NULL;
}

static void check(double have, double wanted)
{
	if (fabs(have - wanted) > 1e-9 * (1 + fabs(wanted)))
		fail_msg("%.17g is not %.17g", have, wanted);
}

static void check_arc(const struct callgraph *graph, char caller, char callee, uint64_t count,
		      double own, double below)
{
	for (size_t i = 0; i < graph->arc_count; i++) {
		const struct callgraph_arc *arc = &graph->arcs[i];

		if (&graph->nodes[arc->caller] != node(graph, caller) ||
		    &graph->nodes[arc->callee] != node(graph, callee))
			continue;
		assert_int_equal(arc->count, count);
		check(arc->own, own);
		check(arc->below, below);
		return;
	}
	fail_msg("%c does not call %c", caller, callee);
}

/* ---- known graphs ---- */

static void time_is_divided_by_calls(void **state)
{
	struct profile *profile = functions(4);
	struct callgraph *graph;

	ticks(profile, 'b', 5);
	ticks(profile, 'c', 7);
	ticks(profile, 'd', 40);
	calls(profile, 'a', 'b', 1);
	calls(profile, 'a', 'c', 2);
	calls(profile, 'b', 'd', 3);
	calls(profile, 'c', 'd', 1);
	graph = graph_of(profile);
	assert_int_equal(graph->ticks, 52);
	assert_int_equal(graph->calls, 7);
	assert_string_equal(graph->nodes[0].name, "d");
	assert_int_equal(node(graph, 'd')->calls, 4);
	check_arc(graph, 'b', 'd', 3, 30, 0);
	check_arc(graph, 'c', 'd', 1, 10, 0);
	check_arc(graph, 'a', 'b', 1, 5, 30);
	check_arc(graph, 'a', 'c', 2, 7, 10);
	check(callgraph_total(graph, node(graph, 'a')), 52);
	assert_int_equal(graph->cycle_count, 0);
	callgraph_free(graph);
	profile_free(profile);
}

/* Calls by itself divide nothing, and are no cycle. */
static void a_function_calls_itself(void **state)
{
	struct profile *profile = functions(3);
	struct callgraph *graph;

	ticks(profile, 'c', 60);
	calls(profile, 'a', 'c', 1);
	calls(profile, 'b', 'c', 2);
	calls(profile, 'c', 'c', 1000);
	graph = graph_of(profile);
	assert_int_equal(node(graph, 'c')->calls, 3);
	assert_int_equal(node(graph, 'c')->self_calls, 1000);
	check_arc(graph, 'a', 'c', 1, 20, 0);
	check_arc(graph, 'b', 'c', 2, 40, 0);
	callgraph_free(graph);
	profile_free(profile);
}

static void a_cycle_is_one(void **state)
{
	struct profile *profile = functions(26);
	struct callgraph *graph;
	const struct callgraph_cycle *cycle;

	ticks(profile, 'a', 10);
	ticks(profile, 'b', 20);
	ticks(profile, 'c', 30);
	calls(profile, 'm', 'a', 1);
	calls(profile, 'n', 'b', 3);
	calls(profile, 'a', 'b', 5);
	calls(profile, 'b', 'a', 4);
	calls(profile, 'a', 'a', 2);
	calls(profile, 'b', 'c', 2);
	graph = graph_of(profile);
	assert_int_equal(graph->cycle_count, 1);
	cycle = graph->cycles;
	assert_int_equal(cycle->count, 2);
	assert_int_equal(cycle->ticks, 30);
	assert_int_equal(cycle->calls, 4);
	assert_int_equal(cycle->inner_calls, 11);
	check(cycle->below, 30);
	check_arc(graph, 'm', 'a', 1, 7.5, 7.5);
	check_arc(graph, 'n', 'b', 3, 22.5, 22.5);
	check_arc(graph, 'a', 'b', 5, 0, 0);
	check(node(graph, 'a')->below, 0);
	check(node(graph, 'b')->below, 30);
	assert_int_equal(node(graph, 'a')->calls, 5);
	assert_int_equal(callgraph_calls_into(graph, node(graph, 'a')), 4);
	callgraph_free(graph);
	profile_free(profile);
}

/* Two cycles one above the other, joined by one arc: they stay two. */
static void cycles_are_told_apart(void **state)
{
	struct profile *profile = functions(6);
	struct callgraph *graph;

	ticks(profile, 'd', 12);
	calls(profile, 'a', 'b', 1);
	calls(profile, 'b', 'c', 1);
	calls(profile, 'c', 'a', 1);
	calls(profile, 'b', 'd', 1);
	calls(profile, 'd', 'e', 1);
	calls(profile, 'e', 'd', 1);
	calls(profile, 'f', 'a', 1);
	graph = graph_of(profile);
	assert_int_equal(graph->cycle_count, 2);
	assert_int_equal(graph->cycles[0].count + graph->cycles[1].count, 5);
	assert_int_not_equal(node(graph, 'a')->cycle, node(graph, 'd')->cycle);
	assert_int_equal(node(graph, 'f')->cycle, CALLGRAPH_NONE);
	check(callgraph_total(graph, node(graph, 'f')), 12);
	check(callgraph_total(graph, node(graph, 'c')), 12);
	callgraph_free(graph);
	profile_free(profile);
}

static void what_nobody_called_is_nobodys(void **state)
{
	struct profile *profile = functions(2);
	struct callgraph *graph;

	ticks(profile, 'b', 100);
	calls(profile, '-', 'b', 3);
	calls(profile, 'a', 'b', 1);
	graph = graph_of(profile);
	assert_int_equal(node(graph, 'b')->calls, 4);
	assert_int_equal(node(graph, 'b')->nobodys, 3);
	check(callgraph_total(graph, node(graph, 'a')), 25);
	callgraph_free(graph);
	profile_free(profile);
}

static void a_chain_may_be_long(void **state)
{
	enum { LENGTH = 300000 };
	struct profile *profile = functions(LENGTH);
	struct callgraph *graph;

	for (uint32_t i = 0; i + 1 < LENGTH; i++)
		samples_call(profile, i, i + 1, 1);
	samples_call(profile, LENGTH - 1, LENGTH / 2, 1);
	ticks(profile, 'z', 7);
	graph = graph_of(profile);
	assert_int_equal(graph->cycle_count, 1);
	assert_int_equal(graph->cycles[0].count, LENGTH - LENGTH / 2);
	check(callgraph_total(graph, node(graph, 'a')), 7);
	callgraph_free(graph);
	profile_free(profile);
}

/* What is inlined is its function's, and told apart. */
static void inlined_functions_are_told(void **state)
{
	struct profile *profile = functions(2);
	struct profile_location location = {.address = 0x99, .line_count = 2};
	struct profile_cell cell = {.task = PROFILE_NO_TASK, .ticks = 9};
	struct callgraph *graph;

	assert_int_equal(profile_add_location(profile, &location, &cell.location), 0);
	assert_int_equal(profile_add_cell(profile, &cell), 0);
	ticks(profile, 'b', 4);
	graph = graph_of(profile);
	assert_int_equal(graph->node_count, 1);
	assert_int_equal(node(graph, 'b')->ticks, 13);
	assert_int_equal(graph->inlined_count, 1);
	assert_string_equal(graph->inlined[0].name, "a");
	assert_int_equal(graph->inlined[0].ticks, 9);
	callgraph_free(graph);
	profile_free(profile);
}

/* Of any graph in which all callers are known, the time of what nobody calls (components without a
 * call into them) is all there is: none is lost on the way up or made. */
static void no_time_is_lost(void **state)
{
	uint64_t dice = 7;

	for (int round = 0; round < 500; round++) {
		uint32_t count = 1 + (uint32_t)dice_below(&dice, 25);
		struct profile *profile = functions(count);
		struct callgraph *graph;
		double sum = 0;

		for (uint32_t i = 0; i < count; i++)
			ticks(profile, (char)('a' + i), 1 + dice_below(&dice, 1000));
		for (uint64_t i = dice_below(&dice, 2 * count); i; i--)
			samples_call(profile, (uint32_t)dice_below(&dice, count),
				     (uint32_t)dice_below(&dice, count), 1 + dice_below(&dice, 9));
		graph = graph_of(profile);
		for (size_t i = 0; i < graph->node_count; i++) {
			const struct callgraph_node *each = &graph->nodes[i];

			if (each->cycle == CALLGRAPH_NONE && !each->calls)
				sum += callgraph_total(graph, each);
		}
		for (size_t i = 0; i < graph->cycle_count; i++)
			if (!graph->cycles[i].calls)
				sum += (double)graph->cycles[i].ticks + graph->cycles[i].below;
		check(sum, (double)graph->ticks);
		callgraph_free(graph);
		profile_free(profile);
	}
}

/* ---- doubts ---- */

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
		cmocka_unit_test(time_is_divided_by_calls),
		cmocka_unit_test(a_function_calls_itself),
		cmocka_unit_test(a_cycle_is_one),
		cmocka_unit_test(cycles_are_told_apart),
		cmocka_unit_test(what_nobody_called_is_nobodys),
		cmocka_unit_test(a_chain_may_be_long),
		cmocka_unit_test(inlined_functions_are_told),
		cmocka_unit_test(no_time_is_lost),
		cmocka_unit_test(runs_contradict),
		cmocka_unit_test(runs_agree),
		cmocka_unit_test(one_caller_is_no_doubt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
