// SPDX-License-Identifier: BSD-2-Clause
#include "view/gprof_section.h"

#include "base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* gprof's call graph: an entry for each function and each cycle, its callers above it, what it
 * calls below, in gprof's columns, so that what reads those (gprof2dot) reads these. */

/* Calls between the entry and one other. */
struct relation {
	uint32_t other;	    /* node */
	uint64_t count, of; /* of so many into the callee; 0: within a cycle, or by itself */
	double own, below;
	const char *inlined; /* its name, where it is no node; else NULL */
};

struct relations {
	struct relation *items;
	size_t count;
};

static void print_name(const struct gprof_section *section, uint32_t index)
{
	const struct callgraph_node *node = &section->graph->nodes[index];

	text_print(section->out, node->name);
	if (node->cycle != CALLGRAPH_NONE)
		(void)fprintf(section->out, " <cycle %" PRIu32 ">", node->cycle + 1);
	if (section->indices[index])
		(void)fprintf(section->out, " [%" PRIu32 "]", section->indices[index]);
}

static void print_relation(const struct gprof_section *section, const struct relation *relation)
{
	FILE *out = section->out;

	if (relation->inlined) {
		(void)fprintf(out, "%6.6s %5.5s %7.2f %7.7s %7.7s %7.7s         ", "", "",
			      relation->own / section->second, "", "", "");
		text_print(out, relation->inlined);
		(void)fputs(" (inlined)\n", out);
		return;
	}
	if (relation->of)
		(void)fprintf(out, "%6.6s %5.5s %7.2f %7.2f %7" PRIu64 "/%-7" PRIu64 "     ", "",
			      "", relation->own / section->second,
			      relation->below / section->second, relation->count, relation->of);
	else
		(void)fprintf(out, "%6.6s %5.5s %7.7s %7.7s %7" PRIu64 " %7.7s     ", "", "", "",
			      "", relation->count, "");
	print_name(section, relation->other);
	(void)fputc('\n', out);
}

/* ---- callers and callees ---- */

static struct relation relation_of(const struct callgraph *graph, const struct callgraph_arc *arc,
				   uint32_t other)
{
	const struct callgraph_node *caller = &graph->nodes[arc->caller];
	const struct callgraph_node *callee = &graph->nodes[arc->callee];
	bool inside = callee->cycle != CALLGRAPH_NONE && caller->cycle == callee->cycle;

	return (struct relation){
		.other = other,
		.count = arc->count,
		.of = inside ? 0 : callgraph_calls_into(graph, callee),
		.own = arc->own,
		.below = arc->below,
	};
}

static void add_self(const struct callgraph *graph, uint32_t index, struct relations *relations)
{
	if (graph->nodes[index].self_calls)
		relations->items[relations->count++] =
			(struct relation){.other = index, .count = graph->nodes[index].self_calls};
}

static void add_callers(const struct callgraph *graph, uint32_t index, struct relations *relations)
{
	const struct callgraph_node *node = &graph->nodes[index];

	add_self(graph, index, relations);
	for (uint32_t i = 0; i < node->in_count; i++) {
		const struct callgraph_arc *arc = &graph->arcs[graph->incoming[node->first_in + i]];

		relations->items[relations->count++] = relation_of(graph, arc, arc->caller);
	}
}

static void add_callees(const struct gprof_section *section, uint32_t index,
			struct relations *relations)
{
	const struct callgraph *graph = section->graph;
	const struct callgraph_node *node = &graph->nodes[index];

	add_self(graph, index, relations);
	for (uint32_t i = 0; i < node->count; i++) {
		const struct callgraph_arc *arc = &graph->arcs[node->first + i];

		relations->items[relations->count++] = relation_of(graph, arc, arc->callee);
	}
	for (uint32_t i = 0; !section->style->traditional && i < node->inlined_count; i++) {
		const struct callgraph_inlined *inlined = &graph->inlined[node->first_inlined + i];

		relations->items[relations->count++] =
			(struct relation){.own = (double)inlined->ticks, .inlined = inlined->name};
	}
}

/* Less time first; a call by itself or within a cycle has none.  Of equals the later entry. */
static int compare(const void *left, const void *right, void *context)
{
	const struct gprof_section *section = context;
	const struct relation *a = left, *b = right;

	ARRAY_COMPARE(a->of != 0 || a->inlined, b->of != 0 || b->inlined);
	ARRAY_COMPARE(a->own + a->below, b->own + b->below);
	ARRAY_COMPARE(a->count, b->count);
	ARRAY_COMPARE(section->indices[b->other], section->indices[a->other]);
	return 0;
}

/* Callers rise towards the entry, callees fall away from it. */
static void print_sorted(const struct gprof_section *section, struct relations *relations,
			 bool rising)
{
	ARRAY_SORT_BY(relations->items, relations->count, compare, (void *)section);
	for (size_t i = 0; i < relations->count; i++)
		print_relation(section, &relations->items[rising ? i : relations->count - 1 - i]);
	relations->count = 0;
}

/* Calls of unknown origin; gprof knows only that there are no others. */
static void print_spontaneous(const struct gprof_section *section, uint64_t calls, uint64_t of)
{
	if (calls)
		(void)fprintf(section->out,
			      "%6.6s %5.5s %7.7s %7.7s %7" PRIu64 "/%-7" PRIu64
			      "     <spontaneous>\n",
			      "", "", "", "", calls, of);
	else
		(void)fprintf(section->out,
			      "%6.6s %5.5s %7.7s %7.7s %7.7s %7.7s     <spontaneous>\n", "", "", "",
			      "", "", "");
}

/* ---- entries ---- */

static void print_primary(const struct gprof_section *section, const struct gprof_entry *entry,
			  uint64_t inner_calls)
{
	double total = (double)section->graph->ticks;
	FILE *out = section->out;
	char number[32];

	(void)snprintf(number, sizeof(number), "[%zu]", (size_t)(entry - section->entries) + 1);
	(void)fprintf(out, "%-6.6s %5.1f %7.2f %7.2f", number,
		      total > 0 ? 100 * (entry->own + entry->below) / total : 0,
		      entry->own / section->second, entry->below / section->second);
	if (entry->calls || inner_calls)
		(void)fprintf(out, " %7" PRIu64, entry->calls);
	else
		(void)fprintf(out, " %7.7s", "");
	if (inner_calls)
		(void)fprintf(out, "+%-7" PRIu64, inner_calls);
	else
		(void)fprintf(out, " %7.7s", "");
	(void)fputc(' ', out);
}

static void print_node(const struct gprof_section *section, const struct gprof_entry *entry,
		       struct relations *relations)
{
	const struct callgraph_node *node = &section->graph->nodes[entry->node];

	add_callers(section->graph, entry->node, relations);
	if (node->unknown_calls || !relations->count)
		print_spontaneous(section, node->unknown_calls,
				  callgraph_calls_into(section->graph, node));
	print_sorted(section, relations, /* rising= */ true);
	print_primary(section, entry, node->self_calls);
	print_name(section, entry->node);
	(void)fputc('\n', section->out);
	add_callees(section, entry->node, relations);
	print_sorted(section, relations, /* rising= */ false);
}

static void print_member(const struct gprof_section *section, uint32_t index)
{
	const struct callgraph_node *node = &section->graph->nodes[index];
	FILE *out = section->out;

	(void)fprintf(out, "%6.6s %5.5s %7.2f %7.2f %7" PRIu64, "", "",
		      (double)node->ticks / section->second, node->below / section->second,
		      node->calls);
	if (node->self_calls)
		(void)fprintf(out, "+%-7" PRIu64, node->self_calls);
	else
		(void)fprintf(out, " %7.7s", "");
	(void)fputs("     ", out);
	print_name(section, index);
	(void)fputc('\n', out);
}

/* It has no callers and callees of its own: its members have. */
static void print_cycle(const struct gprof_section *section, const struct gprof_entry *entry)
{
	const struct callgraph_cycle *cycle = &section->graph->cycles[entry->cycle];

	print_primary(section, entry, cycle->inner_calls);
	(void)fprintf(section->out, "<cycle %" PRIu32 " as a whole> [%zu]\n", entry->cycle + 1,
		      (size_t)(entry - section->entries) + 1);
	for (uint32_t i = 0; i < cycle->count; i++)
		print_member(section, section->graph->members[cycle->first + i]);
}

static bool is_wanted(const struct gprof_section *section, const struct gprof_entry *entry)
{
	const struct callgraph *graph = section->graph;
	const struct callgraph_cycle *cycle;

	if (entry->node != CALLGRAPH_NONE)
		return gprof_wants(section, &graph->nodes[entry->node]);
	cycle = &graph->cycles[entry->cycle];
	for (uint32_t i = 0; i < cycle->count; i++)
		if (gprof_wants(section, &graph->nodes[graph->members[cycle->first + i]]))
			return true;
	return false;
}

static void print_titles(const struct gprof_section *section)
{
	double total = (double)section->graph->ticks;
	FILE *out = section->out;

	(void)fprintf(out, "\t\t\tCall graph\n\n\ngranularity: each sample hit covers %u byte(s)",
		      (unsigned)(section->profile->facts.cell_size
					 ? section->profile->facts.cell_size
					 : 1));
	if (total > 0)
		(void)fprintf(out, " for %.2f%% of %.2f %s\n\n", 100 / total,
			      total / section->second, section->unit);
	else
		(void)fputs(" no time propagated\n\n", out);
	(void)fputs("index % time    self  children    called     name\n", out);
}

static const char explanation[] = "\n"
				  "Above the function of an entry, who has a number in front, "
				  "stand its callers, below it what\n"
				  "it calls. children: time of what is called, handed up in "
				  "proportion to calls: each call of a\n"
				  "function is taken to cost the same. called: by this caller, of "
				  "all calls; n+m has m by the\n"
				  "function itself. Functions that call each other in a circle "
				  "share their time as one cycle.\n"
				  "<spontaneous>: it is not known who called.\n";

int gprof_print_graph(const struct gprof_section *section)
{
	struct relations relations = {
		.items = calloc(section->graph->arc_count + section->graph->node_count +
					section->graph->inlined_count + 1,
				sizeof(*relations.items)),
	};

	if (!relations.items)
		return -ENOMEM;
	print_titles(section);
	for (size_t i = 0; i < section->entry_count; i++) {
		const struct gprof_entry *entry = &section->entries[i];

		if (!is_wanted(section, entry))
			continue;
		if (entry->node != CALLGRAPH_NONE)
			print_node(section, entry, &relations);
		else
			print_cycle(section, entry);
		(void)fputs("-----------------------------------------------\n", section->out);
	}
	free(relations.items);
	if (!section->style->brief)
		(void)fputs(explanation, section->out);
	return 0;
}
