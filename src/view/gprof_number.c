// SPDX-License-Identifier: BSD-2-Clause
#include "view/gprof_section.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The entries of a call graph in gprof's order: most time with what is below first. */

bool gprof_wants(const struct gprof_section *section, const struct callgraph_node *node)
{
	const struct gprof_style *style = section->style;

	if (style->object && strcmp(style->object, node->object) != 0 &&
	    strcmp(style->object, node->path) != 0)
		return false;
	if (style->only && regexec(style->only, node->name, 0, NULL, 0))
		return false;
	return !style->but_not || regexec(style->but_not, node->name, 0, NULL, 0);
}

bool gprof_has_anything(const struct callgraph_node *node)
{
	return node->ticks || node->calls || node->self_calls || node->below > 0 || node->count;
}

/* Between equals cycles come first, and names that begin with '_' last. */
static int compare(const void *left, const void *right)
{
	const struct gprof_entry *a = left, *b = right;
	int order;

	ARRAY_COMPARE(b->own + b->below, a->own + a->below);
	ARRAY_COMPARE(b->cycle != CALLGRAPH_NONE, a->cycle != CALLGRAPH_NONE);
	ARRAY_COMPARE(*a->name == '_', *b->name == '_');
	ARRAY_COMPARE(b->calls, a->calls);
	order = strcmp(a->name, b->name);
	if (order)
		return order;
	ARRAY_COMPARE(a->node, b->node);
	ARRAY_COMPARE(a->cycle, b->cycle);
	return 0;
}

static void add_nodes(struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		const struct callgraph_node *node = &graph->nodes[i];

		if (!gprof_has_anything(node))
			continue;
		section->entries[section->entry_count++] = (struct gprof_entry){
			.node = i,
			.cycle = CALLGRAPH_NONE,
			.own = (double)node->ticks,
			.below = node->below,
			.calls = node->calls,
			.name = node->name,
		};
	}
}

static void add_cycles(struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;

	for (uint32_t i = 0; i < graph->cycle_count; i++) {
		const struct callgraph_cycle *cycle = &graph->cycles[i];

		section->entries[section->entry_count++] = (struct gprof_entry){
			.node = CALLGRAPH_NONE,
			.cycle = i,
			.own = (double)cycle->ticks,
			.below = cycle->below,
			.calls = cycle->calls,
			.name = "",
		};
	}
}

int gprof_number(struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;
	size_t room = graph->node_count + graph->cycle_count + 1;

	section->entries = calloc(room, sizeof(*section->entries));
	section->indices = calloc(room, sizeof(*section->indices));
	if (!section->entries || !section->indices)
		return -ENOMEM;
	add_nodes(section);
	add_cycles(section);
	ARRAY_SORT(section->entries, section->entry_count, compare);
	for (uint32_t i = 0; i < section->entry_count; i++) {
		const struct gprof_entry *entry = &section->entries[i];

		if (entry->node != CALLGRAPH_NONE)
			section->indices[entry->node] = i + 1;
		else
			section->indices[graph->node_count + entry->cycle] = i + 1;
	}
	return 0;
}

void gprof_unnumber(struct gprof_section *section)
{
	free(section->entries);
	free(section->indices);
}
