// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "view/gprof_section.h"
#include "view/section.h"

#include <inttypes.h>

/* One JSON object, or comma-separated values; man/profil-gprof.1.scd has their fields. */

static void print_node(const struct gprof_section *section, const struct callgraph_node *node)
{
	FILE *out = section->out;

	(void)fputs("    {", out);
	json_print_share(out, node->ticks, section->graph->ticks);
	json_print_text(out, "name", node->name);
	json_print_text(out, "object", node->object);
	json_print_text(out, "path", node->path);
	json_print_count(out, "calls", node->calls);
	json_print_count(out, "self_calls", node->self_calls);
	json_print_count(out, "unknown_calls", node->unknown_calls);
	json_print_count(out, "cycle", node->cycle == CALLGRAPH_NONE ? 0 : node->cycle + 1);
	json_print_bool(out, "shown", gprof_wants(section, node));
	(void)fprintf(out, "\"below\": %.9g}", node->below);
}

static void print_nodes(const struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;

	(void)fputs("  \"functions\": [", section->out);
	for (size_t i = 0; i < graph->node_count; i++) {
		(void)fputs(i ? ",\n" : "\n", section->out);
		print_node(section, &graph->nodes[i]);
	}
	(void)fputs("\n  ],\n", section->out);
}

static void print_arcs(const struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;

	(void)fputs("  \"arcs\": [", section->out);
	for (size_t i = 0; i < graph->arc_count; i++) {
		const struct callgraph_arc *arc = &graph->arcs[i];

		(void)fprintf(section->out,
			      "%s    {\"caller\": %" PRIu32 ", \"callee\": %" PRIu32
			      ", \"calls\": %" PRIu64 ", \"self\": %.9g, \"below\": %.9g}",
			      i ? ",\n" : "\n", arc->caller, arc->callee, arc->count, arc->own,
			      arc->below);
	}
	(void)fputs("\n  ],\n", section->out);
}

static void print_inlined(const struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;

	(void)fputs("  \"inlined\": [", section->out);
	for (size_t i = 0; i < graph->inlined_count; i++) {
		(void)fprintf(section->out,
			      "%s    {\"into\": %" PRIu32 ", \"ticks\": %" PRIu64 ", ",
			      i ? ",\n" : "\n", graph->inlined[i].node, graph->inlined[i].ticks);
		(void)fputs("\"name\": ", section->out);
		json_print_string(section->out, graph->inlined[i].name);
		(void)fputc('}', section->out);
	}
	(void)fputs("\n  ],\n", section->out);
}

static void print_cycles(const struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;

	(void)fputs("  \"cycles\": [", section->out);
	for (size_t i = 0; i < graph->cycle_count; i++) {
		const struct callgraph_cycle *cycle = &graph->cycles[i];

		(void)fprintf(section->out,
			      "%s    {\"ticks\": %" PRIu64 ", \"below\": %.9g, \"calls\": %" PRIu64
			      ", \"inner_calls\": %" PRIu64 ", \"functions\": [",
			      i ? ",\n" : "\n", cycle->ticks, cycle->below, cycle->calls,
			      cycle->inner_calls);
		for (uint32_t j = 0; j < cycle->count; j++)
			(void)fprintf(section->out, "%s%" PRIu32, j ? ", " : "",
				      graph->members[cycle->first + j]);
		(void)fputs("]}", section->out);
	}
	(void)fputs("\n  ],\n", section->out);
}

static void print_doubts(const struct gprof_section *section)
{
	(void)fputs("  \"doubts\": [", section->out);
	for (size_t i = 0; i < section->doubts->count; i++) {
		const struct doubt *doubt = &section->doubts->items[i];

		(void)fprintf(section->out,
			      "%s    {\"function\": %" PRIu32 ", \"callers\": %" PRIu32
			      ", \"stake\": %.9g, \"contradicted\": %s, \"z\": %.9g, "
			      "\"least\": %.9g, \"most\": %.9g}",
			      i ? ",\n" : "\n", doubt->node, doubt->callers, doubt->stake,
			      doubt->contradicted ? "true" : "false", doubt->score, doubt->least,
			      doubt->most);
	}
	(void)fputs("\n  ]\n}\n", section->out);
}

void gprof_print_json(const struct gprof_section *section)
{
	struct section head = {.out = section->out, .profile = section->profile};

	profile_account(section->profile, &head.account);
	json_print_head(&head);
	(void)fprintf(section->out, "  \"total\": %" PRIu64 ",\n  \"calls\": %" PRIu64 ",\n",
		      section->graph->ticks, section->graph->calls);
	print_nodes(section);
	print_arcs(section);
	print_inlined(section);
	print_cycles(section);
	print_doubts(section);
}

/* ---- comma-separated values ---- */

static void print_csv_names(const struct gprof_section *section, const struct callgraph_node *node)
{
	csv_print_field(section->out, node->name);
	(void)fputc(',', section->out);
	csv_print_field(section->out, node->object);
	(void)fputc(',', section->out);
}

static void print_csv_flat(const struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;

	(void)fputs(
		"function,object,path,ticks,share,low,high,calls,self_calls,unknown_calls,below,"
		"cycle\r\n",
		section->out);
	for (size_t i = 0; i < graph->node_count; i++) {
		const struct callgraph_node *node = &graph->nodes[i];
		struct interval interval = interval_of_share(node->ticks, graph->ticks);
		double share = graph->ticks ? (double)node->ticks / (double)graph->ticks : 0;

		if (!gprof_has_anything(node) || !gprof_wants(section, node))
			continue;
		print_csv_names(section, node);
		csv_print_field(section->out, node->path);
		(void)fprintf(section->out,
			      ",%" PRIu64 ",%.9g,%.9g,%.9g,%" PRIu64 ",%" PRIu64 ",%" PRIu64
			      ",%.9g,%" PRIu32 "\r\n",
			      node->ticks, share, interval.low, interval.high, node->calls,
			      node->self_calls, node->unknown_calls, node->below,
			      node->cycle == CALLGRAPH_NONE ? 0 : node->cycle + 1);
	}
}

static void print_csv_graph(const struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;

	(void)fputs("caller,caller_object,callee,callee_object,calls,self,below\r\n", section->out);
	for (size_t i = 0; i < graph->arc_count; i++) {
		const struct callgraph_arc *arc = &graph->arcs[i];

		if (!gprof_wants(section, &graph->nodes[arc->callee]))
			continue;
		print_csv_names(section, &graph->nodes[arc->caller]);
		print_csv_names(section, &graph->nodes[arc->callee]);
		(void)fprintf(section->out, "%" PRIu64 ",%.9g,%.9g\r\n", arc->count, arc->own,
			      arc->below);
	}
}

void gprof_print_csv(const struct gprof_section *section)
{
	if (section->style->no_flat)
		print_csv_graph(section);
	else
		print_csv_flat(section);
}
