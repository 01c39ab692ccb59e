// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/callgraph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/array.h"
#include "dice.h"
#include "graphs.h"

static const struct callgraph_node *node(const struct callgraph *graph, char function)
{
	for (size_t i = 0; i < graph->node_count; i++)
		if (graph->nodes[i].name[0] == function && !graph->nodes[i].name[1])
			return &graph->nodes[i];
	fail_msg("%c is not in the graph", function);
	return NULL;
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

enum which { DIVIDED, BY_ITSELF, ONE_CYCLE, TWO_CYCLES, NOBODYS };

/* Each list ends at a function without a name. */
static const struct known {
	const char *name;
	size_t functions;
	struct {
		char function;
		uint64_t count;
	} ticks[4];
	struct {
		char caller, callee; /* caller '-': nobody */
		uint64_t count;
	} calls[8];
	/* What is to be: */
	struct {
		char function;
		uint64_t calls, self_calls, unknown_calls;
		double total;
	} nodes[6];
	struct {
		char caller, callee;
		uint64_t count;
		double own, below; /* of the callee's time: its own, and what it was handed */
	} arcs[5];
	size_t cycles;
} known[] = {
	[DIVIDED] =
		{
			.name = "time is divided by calls",
			.functions = 4,
			.ticks = {{'b', 5}, {'c', 7}, {'d', 40}},
			.calls = {{'a', 'b', 1}, {'a', 'c', 2}, {'b', 'd', 3}, {'c', 'd', 1}},
			.nodes = {{'a', 0, 0, 0, 52},
				  {'b', 1, 0, 0, 35},
				  {'c', 2, 0, 0, 17},
				  {'d', 4, 0, 0, 40}},
			.arcs = {{'b', 'd', 3, 30, 0},
				 {'c', 'd', 1, 10, 0},
				 {'a', 'b', 1, 5, 30},
				 {'a', 'c', 2, 7, 10}},
		},
	[BY_ITSELF] =
		{
			.name = "calls by itself divide nothing, and are no cycle",
			.functions = 3,
			.ticks = {{'c', 60}},
			.calls = {{'a', 'c', 1}, {'b', 'c', 2}, {'c', 'c', 1000}},
			.nodes = {{'a', 0, 0, 0, 20}, {'b', 0, 0, 0, 40}, {'c', 3, 1000, 0, 60}},
			.arcs = {{'a', 'c', 1, 20, 0}, {'b', 'c', 2, 40, 0}},
		},
	[ONE_CYCLE] =
		{
			.name = "a cycle is one",
			.functions = 26,
			.ticks = {{'a', 10}, {'b', 20}, {'c', 30}},
			.calls = {{'m', 'a', 1},
				  {'n', 'b', 3},
				  {'a', 'b', 5},
				  {'b', 'a', 4},
				  {'a', 'a', 2},
				  {'b', 'c', 2}},
			.nodes = {{'a', 5, 2, 0, 60}, {'b', 8, 0, 0, 60}, {'m', 0, 0, 0, 15}},
			.arcs = {{'m', 'a', 1, 7.5, 7.5},
				 {'n', 'b', 3, 22.5, 22.5},
				 {'a', 'b', 5, 0, 0}},
			.cycles = 1,
		},
	[TWO_CYCLES] =
		{
			.name = "two cycles one above the other, joined by one arc, stay two",
			.functions = 6,
			.ticks = {{'d', 12}},
			.calls = {{'a', 'b', 1},
				  {'b', 'c', 1},
				  {'c', 'a', 1},
				  {'b', 'd', 1},
				  {'d', 'e', 1},
				  {'e', 'd', 1},
				  {'f', 'a', 1}},
			.nodes = {{'c', 1, 0, 0, 12}, {'f', 0, 0, 0, 12}},
			.cycles = 2,
		},
	[NOBODYS] =
		{
			.name = "what nobody called is nobody's",
			.functions = 2,
			.ticks = {{'b', 100}},
			.calls = {{'-', 'b', 3}, {'a', 'b', 1}},
			.nodes = {{'a', 0, 0, 0, 25}, {'b', 4, 0, 3, 100}},
		},
};

static struct callgraph *graph_of_known(const struct known *from, struct profile **ret_profile)
{
	struct profile *profile = functions(from->functions);

	for (int i = 0; from->ticks[i].function; i++)
		ticks(profile, from->ticks[i].function, from->ticks[i].count);
	for (int i = 0; from->calls[i].caller; i++)
		calls(profile, from->calls[i].caller, from->calls[i].callee, from->calls[i].count);
	*ret_profile = profile;
	return graph_of(profile);
}

static void known_graphs(void **state)
{
	for (size_t k = 0; k < ARRAY_LENGTH(known); k++) {
		struct profile *profile;
		struct callgraph *graph = graph_of_known(&known[k], &profile);

		print_message("# %s\n", known[k].name);
		assert_int_equal(graph->cycle_count, known[k].cycles);
		for (int i = 0; known[k].nodes[i].function; i++) {
			const struct callgraph_node *have = node(graph, known[k].nodes[i].function);

			assert_int_equal(have->calls, known[k].nodes[i].calls);
			assert_int_equal(have->self_calls, known[k].nodes[i].self_calls);
			assert_int_equal(have->unknown_calls, known[k].nodes[i].unknown_calls);
			check(callgraph_total(graph, have), known[k].nodes[i].total);
		}
		for (int i = 0; known[k].arcs[i].caller; i++)
			check_arc(graph, known[k].arcs[i].caller, known[k].arcs[i].callee,
				  known[k].arcs[i].count, known[k].arcs[i].own,
				  known[k].arcs[i].below);
		callgraph_free(graph);
		profile_free(profile);
	}
}

static void sums_are_of_all(void **state)
{
	struct profile *profile;
	struct callgraph *graph = graph_of_known(&known[DIVIDED], &profile);

	assert_int_equal(graph->ticks, 52);
	assert_int_equal(graph->calls, 7);
	assert_string_equal(graph->nodes[0].name, "d"); /* the hottest is first */
	callgraph_free(graph);
	profile_free(profile);
}

static void a_cycle_has_its_own_account(void **state)
{
	struct profile *profile;
	struct callgraph *graph = graph_of_known(&known[ONE_CYCLE], &profile);
	const struct callgraph_cycle *cycle = graph->cycles;

	assert_int_equal(cycle->count, 2);
	assert_int_equal(cycle->ticks, 30);
	assert_int_equal(cycle->calls, 4);
	assert_int_equal(cycle->inner_calls, 9); /* as gprof has it: not the 2 of a by itself */
	check(cycle->below, 30);
	check(node(graph, 'a')->below, 0);
	check(node(graph, 'b')->below, 30);
	assert_int_equal(callgraph_calls_into(graph, node(graph, 'a')), 4);
	callgraph_free(graph);
	profile_free(profile);
}

static void cycles_are_told_apart(void **state)
{
	struct profile *profile;
	struct callgraph *graph = graph_of_known(&known[TWO_CYCLES], &profile);

	assert_int_equal(graph->cycles[0].count + graph->cycles[1].count, 5);
	assert_int_not_equal(node(graph, 'a')->cycle, node(graph, 'd')->cycle);
	assert_int_equal(node(graph, 'f')->cycle, CALLGRAPH_NONE);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_graphs),
		cmocka_unit_test(sums_are_of_all),
		cmocka_unit_test(a_cycle_has_its_own_account),
		cmocka_unit_test(cycles_are_told_apart),
		cmocka_unit_test(a_chain_may_be_long),
		cmocka_unit_test(inlined_functions_are_told),
		cmocka_unit_test(no_time_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
