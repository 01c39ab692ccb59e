// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/callgraph.h"

#include "analysis/names.h"
#include "analysis/place.h"
#include "base/array.h"
#include "base/keyset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A graph as it grows: one node, arc or inlined function a key. */
struct builder {
	const struct profile *profile;
	struct callgraph *graph;
	uint32_t *objects; /* place_objects() */
	struct keyset nodes, arcs, inlined;
	size_t node_capacity, arc_capacity, inlined_capacity;
};

/* A function is its object, its name and where it is declared, which tells static ones of one name
 * apart.  What has no name is a function by itself. */
static struct key node_key(const struct builder *builder, const struct profile_location *location)
{
	const struct profile_function *function = profile_function_of(builder->profile, location);
	struct key key = {{(uint64_t)builder->objects[location->mapping] << 32}};

	if (function && function->name) {
		key.words[0] |= function->name;
		key.words[1] = function->start_line;
		return key;
	}
	key.words[1] = (uint64_t)location->kind;
	key.words[2] = location->kind == LOCATION_OVERFLOW ? 0 : location->address;
	return key;
}

/* TEXT, heap or NULL for want of memory, becomes the graph's. */
static int own(struct callgraph *graph, char *text, const char **ret_text)
{
	if (!text)
		return -ENOMEM;
	if (ARRAY_RESERVE(graph->owned, graph->owned_capacity, graph->owned_count + 1)) {
		free(text);
		return -ENOMEM;
	}
	graph->owned[graph->owned_count++] = text;
	*ret_text = text;
	return 0;
}

static int add_node(struct builder *builder, const struct profile_location *location)
{
	const struct profile *profile = builder->profile;
	const struct profile_function *function = profile_function_of(profile, location);
	uint32_t object = builder->objects[location->mapping];
	struct callgraph *graph = builder->graph;
	struct callgraph_node *node;

	if (ARRAY_RESERVE(graph->nodes, builder->node_capacity, graph->node_count + 1))
		return -ENOMEM;
	node = &graph->nodes[graph->node_count++];
	*node = (struct callgraph_node){
		.name = "",
		.object = names_object(profile, object),
		.path = profile_text(profile, profile->mappings[object].path),
		.cycle = CALLGRAPH_NONE,
	};
	if (!function || !function->name)
		return own(graph, names_bare(profile, location), &node->name);
	node->name = profile_text(profile, function->name);
	return 0;
}

static int node_of(struct builder *builder, uint32_t index, uint32_t *ret_node)
{
	const struct profile_location *location = &builder->profile->locations[index];
	uint32_t *known = &builder->graph->locations[index];
	struct key key;
	int ret = 0;

	if (*known == CALLGRAPH_NONE) {
		key = node_key(builder, location);
		ret = keyset_add(&builder->nodes, &key, known);
		if (ret > 0)
			ret = add_node(builder, location);
	}
	*ret_node = *known;
	return ret;
}

/* Where LOCATION is in a function that was inlined, the samples are its too. */
static int add_inlined(struct builder *builder, const struct profile_location *location,
		       uint32_t node, uint64_t ticks)
{
	const struct profile *profile = builder->profile;
	struct callgraph *graph = builder->graph;
	const struct profile_function *function = profile_inlined_at(profile, location);
	uint32_t name, number;
	struct key key;
	int ret;

	if (!function)
		return 0;
	name = function->name;
	key = (struct key){{(uint64_t)node << 32 | name}};
	ret = keyset_add(&builder->inlined, &key, &number);
	if (ret < 0 || ARRAY_RESERVE(graph->inlined, builder->inlined_capacity, number + 1))
		return -ENOMEM;
	if (ret > 0)
		graph->inlined[graph->inlined_count++] = (struct callgraph_inlined){
			.node = node, .name = profile_text(profile, name)};
	graph->inlined[number].ticks = ticks_add(graph->inlined[number].ticks, ticks);
	return 0;
}

static int add_cell(struct builder *builder, const struct profile_cell *cell)
{
	struct callgraph *graph = builder->graph;
	uint32_t node;
	int ret;

	if (!cell->ticks)
		return 0;
	ret = node_of(builder, cell->location, &node);
	if (ret < 0)
		return ret;
	graph->nodes[node].ticks = ticks_add(graph->nodes[node].ticks, cell->ticks);
	graph->ticks = ticks_add(graph->ticks, cell->ticks);
	return add_inlined(builder, &builder->profile->locations[cell->location], node,
			   cell->ticks);
}

static int add_arc(struct builder *builder, uint32_t caller, uint32_t callee, uint64_t count)
{
	struct callgraph *graph = builder->graph;
	struct key key = {{(uint64_t)caller << 32 | callee}};
	uint32_t number;
	int ret = keyset_add(&builder->arcs, &key, &number);

	if (ret < 0 || ARRAY_RESERVE(graph->arcs, builder->arc_capacity, number + 1))
		return -ENOMEM;
	if (ret > 0)
		graph->arcs[graph->arc_count++] =
			(struct callgraph_arc){.caller = caller, .callee = callee};
	graph->arcs[number].count = ticks_add(graph->arcs[number].count, count);
	return 0;
}

static int add_call(struct builder *builder, const struct profile_call *call)
{
	struct callgraph *graph = builder->graph;
	uint32_t caller = CALLGRAPH_NONE, callee;
	struct callgraph_node *called;
	int ret = node_of(builder, call->callee, &callee);

	if (ret >= 0 && call->caller != PROFILE_NO_CALLER)
		ret = node_of(builder, call->caller, &caller);
	if (ret < 0)
		return ret;
	graph->calls = ticks_add(graph->calls, call->count);
	called = &graph->nodes[callee];
	if (caller == callee) {
		called->self_calls = ticks_add(called->self_calls, call->count);
		return 0;
	}
	called->calls = ticks_add(called->calls, call->count);
	if (caller != CALLGRAPH_NONE)
		return add_arc(builder, caller, callee, call->count);
	called->unknown_calls = ticks_add(called->unknown_calls, call->count);
	return 0;
}

static int add_all(struct builder *builder)
{
	const struct profile *profile = builder->profile;
	int ret = 0;

	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++)
		ret = add_cell(builder, &profile->cells[i]);
	for (size_t i = 0; i < profile->call_count && ret >= 0; i++)
		if (profile->calls[i].count)
			ret = add_call(builder, &profile->calls[i]);
	return ret;
}

/* ---- an order of their own ---- */

static int compare_nodes(const void *left, const void *right, void *context)
{
	const struct callgraph_node *nodes = context;
	const struct callgraph_node *a = &nodes[*(const uint32_t *)left];
	const struct callgraph_node *b = &nodes[*(const uint32_t *)right];
	int order;

	ARRAY_COMPARE(b->ticks, a->ticks);
	ARRAY_COMPARE(b->calls, a->calls);
	order = strcmp(a->name, b->name);
	return order ? order : strcmp(a->path, b->path);
}

static int compare_arcs(const void *left, const void *right)
{
	const struct callgraph_arc *a = left, *b = right;

	ARRAY_COMPARE(a->caller, b->caller);
	ARRAY_COMPARE(a->callee, b->callee);
	return 0;
}

static int compare_inlined(const void *left, const void *right)
{
	const struct callgraph_inlined *a = left, *b = right;

	ARRAY_COMPARE(a->node, b->node);
	ARRAY_COMPARE(b->ticks, a->ticks);
	return strcmp(a->name, b->name);
}

/* ORDER and RANK have a place for each node. */
static void renumber(struct callgraph *graph, size_t locations, uint32_t *order, uint32_t *rank,
		     struct callgraph_node *sorted)
{
	for (uint32_t i = 0; i < graph->node_count; i++)
		order[i] = i;
	ARRAY_SORT_BY(order, graph->node_count, compare_nodes, graph->nodes);
	for (uint32_t i = 0; i < graph->node_count; i++) {
		sorted[i] = graph->nodes[order[i]];
		rank[order[i]] = i;
	}
	if (graph->node_count)
		memcpy(graph->nodes, sorted, graph->node_count * sizeof(*sorted));
	for (size_t i = 0; i < graph->arc_count; i++) {
		graph->arcs[i].caller = rank[graph->arcs[i].caller];
		graph->arcs[i].callee = rank[graph->arcs[i].callee];
	}
	for (size_t i = 0; i < graph->inlined_count; i++)
		graph->inlined[i].node = rank[graph->inlined[i].node];
	for (size_t i = 0; i < locations; i++)
		if (graph->locations[i] != CALLGRAPH_NONE)
			graph->locations[i] = rank[graph->locations[i]];
	ARRAY_SORT(graph->arcs, graph->arc_count, compare_arcs);
	ARRAY_SORT(graph->inlined, graph->inlined_count, compare_inlined);
}

static void link_inlined(struct callgraph *graph)
{
	for (uint32_t i = 0; i < graph->inlined_count; i++) {
		struct callgraph_node *node = &graph->nodes[graph->inlined[i].node];

		if (!node->inlined_count++)
			node->first_inlined = i;
	}
}

static int put_in_order(struct callgraph *graph, size_t locations)
{
	size_t room = graph->node_count + 1;
	struct callgraph_node *sorted = calloc(room, sizeof(*sorted));
	uint32_t *order = calloc(room, sizeof(*order)), *rank = calloc(room, sizeof(*rank));
	int ret = sorted && order && rank ? 0 : -ENOMEM;

	if (ret >= 0)
		renumber(graph, locations, order, rank, sorted);
	link_inlined(graph);
	free(sorted);
	free(order);
	free(rank);
	return ret;
}

int callgraph_build(const struct profile *profile, struct callgraph **ret_graph)
{
	struct builder builder = {.profile = profile, .graph = calloc(1, sizeof(struct callgraph))};
	size_t count = profile->location_count, bytes = (count + 1) * sizeof(uint32_t);
	int ret = -ENOMEM;

	builder.objects = place_objects(profile);
	if (builder.graph)
		builder.graph->locations = malloc(bytes);
	if (builder.graph && builder.objects && builder.graph->locations) {
		memset(builder.graph->locations, 0xff, bytes);
		ret = add_all(&builder);
		ret = ret < 0 ? ret : put_in_order(builder.graph, count);
		ret = ret < 0 ? ret : callgraph_settle(builder.graph);
	}
	free(builder.objects);
	keyset_done(&builder.nodes);
	keyset_done(&builder.arcs);
	keyset_done(&builder.inlined);
	if (ret < 0)
		(void)callgraph_free(builder.graph);
	else
		*ret_graph = builder.graph;
	return ret;
}

struct callgraph *callgraph_free(struct callgraph *graph)
{
	if (!graph)
		return NULL;
	for (size_t i = 0; i < graph->owned_count; i++)
		free(graph->owned[i]);
	free(graph->owned);
	free(graph->nodes);
	free(graph->locations);
	free(graph->arcs);
	free(graph->incoming);
	free(graph->cycles);
	free(graph->members);
	free(graph->inlined);
	free(graph);
	return NULL;
}
