// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "view/gprof_section.h"

#include <inttypes.h>

/* gprof's flat profile, column for column; the interval of the share stands before the name. */

/* Seconds a call are shown in the unit in which the dearest one is 1 to 1,000. */
struct scale {
	const char *unit;
	double factor;
};

static const struct scale scales[] = {
	{"Ts", 1e-12}, {"Gs", 1e-9}, {"Ms", 1e-6}, {"Ks", 1e-3}, {" s", 1},
	{"ms", 1e3},   {"us", 1e6},  {"ns", 1e9},  {"ps", 1e12},
};

#define SCALE_COUNT (sizeof(scales) / sizeof(*scales))

static double a_call(const struct gprof_section *section, const struct callgraph_node *node)
{
	if (!node->calls)
		return 0;
	return ((double)node->ticks + node->below) / section->second / (double)node->calls;
}

static const struct scale *choose_scale(const struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;
	double most = 0;

	for (size_t i = 0; i < graph->node_count; i++)
		if (a_call(section, &graph->nodes[i]) > most)
			most = a_call(section, &graph->nodes[i]);
	for (size_t i = 0; i < SCALE_COUNT; i++)
		if (most * scales[i].factor >= 1 && most * scales[i].factor < 1000)
			return &scales[i];
	return most > 0 ? &scales[SCALE_COUNT - 1] : &scales[0];
}

static void print_titles(const struct gprof_section *section, const struct scale *scale)
{
	bool bare = section->style->traditional;
	FILE *out = section->out;

	(void)fprintf(out, "Flat profile:\n\nEach sample counts as %g %s.\n", 1 / section->second,
		      section->unit);
	if (!section->graph->ticks)
		(void)fputs(" no time accumulated\n\n", out);
	(void)fprintf(out, "%5.5s %10.10s %8.8s %8.8s %8.8s %8.8s  %s%-8.8s\n", "%  ", "cumulative",
		      "self  ", "", "self  ", "total ", bare ? "" : "               ", "");
	(void)fprintf(out, "%5.5s %9.9s  %8.8s %8.8s %3.3s/%-4.4s %3.3s/%-4.4s  %s%-8.8s\n", "time",
		      section->unit, section->unit, "calls", scale->unit, "call", scale->unit,
		      "call", bare ? "" : "95 % interval  ", "name");
}

static void print_interval(const struct gprof_section *section, const struct callgraph_node *node)
{
	struct interval interval = interval_of_share(node->ticks, section->graph->ticks);

	if (section->style->traditional)
		return;
	if (section->graph->ticks < EVIDENCE_FLOOR)
		(void)fprintf(section->out, "%15s", "");
	else
		(void)fprintf(section->out, "%5.1f %s %5.1f  ", 100 * interval.low,
			      section->marks->to, 100 * interval.high);
}

static void print_row(const struct gprof_section *section, const struct callgraph_node *node,
		      const struct scale *scale, uint64_t sum)
{
	double total = (double)section->graph->ticks, second = section->second;
	FILE *out = section->out;

	(void)fprintf(out, "%6.2f %9.2f %8.2f", total > 0 ? 100 * (double)node->ticks / total : 0,
		      (double)sum / second, (double)node->ticks / second);
	if (node->calls)
		(void)fprintf(out, " %8" PRIu64 " %8.2f %8.2f  ", node->calls,
			      scale->factor * (double)node->ticks / second / (double)node->calls,
			      scale->factor * a_call(section, node));
	else
		(void)fprintf(out, " %8.8s %8.8s %8.8s  ", "", "", "");
	print_interval(section, node);
	text_print(out, node->name);
	(void)fputc('\n', out);
}

static const char explanation[] =
	"\n"
	"time: its share of all samples, with the interval in which the true one lies with 95 %\n"
	"(Wilson's). cumulative: its own and of the rows above. self: its own. calls: of it, by\n"
	"others. self/call, total/call: by one of them; total is with what it called, whose time "
	"is\n"
	"divided by calls.\n";

void gprof_print_flat(const struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;
	const struct scale *scale = choose_scale(section);
	uint64_t sum = 0;

	print_titles(section, scale);
	for (size_t i = 0; i < graph->node_count; i++) {
		const struct callgraph_node *node = &graph->nodes[i];

		sum = ticks_add(sum, node->ticks);
		if ((node->ticks || node->calls) && gprof_wants(section, node))
			print_row(section, node, scale, sum);
	}
	if (!section->style->brief)
		(void)fputs(explanation, section->out);
}
