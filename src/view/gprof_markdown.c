// SPDX-License-Identifier: BSD-2-Clause
#include "view/gprof_section.h"
#include "view/markdown.h"

#include <inttypes.h>

/* The flat profile and the calls as Markdown's tables. */

static void print_flat(const struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;

	markdown_print_titles(section->out, graph->ticks, "calls | with below | function | object",
			      4);
	for (size_t i = 0; i < graph->node_count; i++) {
		const struct callgraph_node *node = &graph->nodes[i];

		if ((!node->ticks && !node->calls) || !gprof_wants(section, node))
			continue;
		markdown_print_ticks(section->out, node->ticks, graph->ticks);
		(void)fprintf(section->out, "| %s | %s | ", text_count(node->calls).text,
			      text_share(graph->ticks ? ((double)node->ticks + node->below) /
								(double)graph->ticks
						      : 0)
				      .text);
		markdown_print_function(section->out, node->name);
		(void)fputs(" | ", section->out);
		markdown_print_code(section->out, node->object);
		(void)fputs(" |\n", section->out);
	}
}

static void print_calls(const struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;

	(void)fputs("| calls | caller | function |\n| --: | --- | --- |\n", section->out);
	for (size_t i = 0; i < graph->arc_count; i++) {
		const struct callgraph_arc *arc = &graph->arcs[i];

		if (!gprof_wants(section, &graph->nodes[arc->callee]))
			continue;
		(void)fprintf(section->out, "| %s | ", text_count(arc->count).text);
		markdown_print_function(section->out, graph->nodes[arc->caller].name);
		(void)fputs(" | ", section->out);
		markdown_print_function(section->out, graph->nodes[arc->callee].name);
		(void)fputs(" |\n", section->out);
	}
}

void gprof_print_markdown(const struct gprof_section *section)
{
	const struct gprof_style *style = section->style;

	if (!style->no_flat)
		print_flat(section);
	if (!style->no_flat && !style->no_graph)
		(void)fputc('\n', section->out);
	if (!style->no_graph)
		print_calls(section);
	if (section->doubts->count)
		(void)fputc('\n', section->out);
	gprof_print_doubts(section);
}
