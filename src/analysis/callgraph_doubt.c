// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/callgraph_doubt.h"

#include "analysis/interval.h"
#include "base/array.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of each run so many samples must be due that chance passes DOUBT_SCORE as seldom as a normal
 * variable does, and not, as with 5 due (a Poisson variable of 5 is 17 or more), 20 times as often.
 */
#define DUE_MIN 50

struct doubts *doubts_new(void)
{
	struct doubts *doubts = calloc(1, sizeof(*doubts));

	if (!doubts)
		return NULL;
	doubts->names = strings_new();
	return doubts->names ? doubts : doubts_free(doubts);
}

struct doubts *doubts_free(struct doubts *doubts)
{
	if (!doubts)
		return NULL;
	strings_free(doubts->names);
	free(doubts->sums);
	free(doubts->items);
	free(doubts);
	return NULL;
}

/* Functions of one path and name are one here. */
static int sum_of(struct doubts *doubts, const struct callgraph_node *node, uint32_t *ret_sum)
{
	char *key;
	int length = asprintf(&key, "%s, %s", node->path, node->name), ret;

	if (length < 0)
		return -ENOMEM;
	ret = strings_add(doubts->names, key, (size_t)length, ret_sum);
	free(key);
	--*ret_sum;
	if (ret < 0 || ARRAY_RESERVE(doubts->sums, doubts->sum_capacity, *ret_sum + 1))
		return -ENOMEM;
	if (*ret_sum == doubts->sum_count)
		doubts->sums[doubts->sum_count++] = (struct doubt_sum){.least_calls = UINT64_MAX};
	return 0;
}

/* A run in which nobody called it says nothing. */
int doubts_add(struct doubts *doubts, const struct callgraph *run)
{
	int ret = 0;

	for (size_t i = 0; i < run->node_count && ret >= 0; i++) {
		const struct callgraph_node *node = &run->nodes[i];
		uint64_t calls = ticks_add(node->calls, node->self_calls);
		struct doubt_sum *sum;
		uint32_t number;
		double cost;

		if (!calls)
			continue;
		ret = sum_of(doubts, node, &number);
		if (ret < 0)
			return ret;
		sum = &doubts->sums[number];
		cost = (double)node->ticks / (double)calls;
		sum->ticks = ticks_add(sum->ticks, node->ticks);
		sum->calls = ticks_add(sum->calls, calls);
		sum->squares += cost * (double)node->ticks;
		sum->least_calls = calls < sum->least_calls ? calls : sum->least_calls;
		sum->least = !sum->runs || cost < sum->least ? cost : sum->least;
		sum->most = cost > sum->most ? cost : sum->most;
		sum->runs++;
	}
	return ret;
}

/* A standard normal variable as far out as CHI_SQUARE of DEGREES is. */
static double normal_of(double chi_square, double degrees)
{
	double spread = 2 / (9 * degrees);

	return (cbrt(chi_square / degrees) - (1 - spread)) / sqrt(spread);
}

static void judge(const struct doubt_sum *sum, struct doubt *doubt)
{
	double ticks = (double)sum->ticks, calls = (double)sum->calls;

	if (sum->runs < 2 || (double)sum->least_calls * ticks / calls < DUE_MIN)
		return;
	doubt->score = normal_of(sum->squares * calls / ticks - ticks, sum->runs - 1);
	doubt->least = sum->least;
	doubt->most = sum->most;
	doubt->contradicted =
		doubt->score > DOUBT_SCORE && doubt->most >= DOUBT_RATIO * doubt->least;
}

/* Those that are not in its cycle; all unknown ones are one. */
static uint32_t count_callers(const struct callgraph *graph, const struct callgraph_node *node)
{
	uint32_t callers = node->unknown_calls > 0;

	for (uint32_t i = 0; i < node->in_count; i++) {
		const struct callgraph_arc *arc = &graph->arcs[graph->incoming[node->first_in + i]];

		callers += node->cycle == CALLGRAPH_NONE ||
			   graph->nodes[arc->caller].cycle != node->cycle;
	}
	return callers;
}

static int consider(struct doubts *doubts, const struct callgraph *graph, uint32_t index)
{
	const struct callgraph_node *node = &graph->nodes[index];
	struct doubt doubt = {
		.node = index,
		.callers = count_callers(graph, node),
		.stake = callgraph_total(graph, node),
	};
	uint32_t number;

	if (doubt.callers < 2)
		return 0;
	if (sum_of(doubts, node, &number))
		return -ENOMEM;
	judge(&doubts->sums[number], &doubt);
	if (doubt.contradicted ||
	    (doubt.stake >= EVIDENCE_FLOOR && doubt.stake >= DOUBT_STAKE * (double)graph->ticks))
		doubts->items[doubts->count++] = doubt;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct doubt *a = left, *b = right;

	if (a->stake != b->stake)
		return a->stake > b->stake ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

int doubts_settle(struct doubts *doubts, const struct callgraph *graph)
{
	int ret = 0;

	doubts->items = calloc(graph->node_count + 1, sizeof(*doubts->items));
	if (!doubts->items)
		return -ENOMEM;
	for (uint32_t i = 0; i < graph->node_count && ret >= 0; i++)
		ret = consider(doubts, graph, i);
	ARRAY_SORT(doubts->items, doubts->count, compare);
	return ret;
}
