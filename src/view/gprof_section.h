/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "view/gprof.h"
#include "view/text.h"

/* The parts of gprof's pages, each in a file of its own. */

struct gprof_section {
	FILE *out;
	const struct profile *profile;
	const struct callgraph *graph;
	const struct doubts *doubts;
	const struct gprof_style *style;
	const struct marks *marks;
	/* Samples of one; 1 where the period is not known, and seconds are samples. */
	double second;
	const char *unit;
	uint32_t *indices; /* of each node its number on the page, of each cycle behind them;
			      0: it has no entry */
	struct gprof_entry *entries; /* in the order of their numbers */
	size_t entry_count;
};

/* A node, or a cycle as a whole. */
struct gprof_entry {
	uint32_t node, cycle; /* one of them is CALLGRAPH_NONE */
	double own, below;    /* samples */
	uint64_t calls;
	const char *name; /* "" for a cycle */
};

/* Which functions were asked for. */
bool gprof_wants(const struct gprof_section *section, const struct callgraph_node *node);

/* Whether NODE has anything to tell: calls or time. */
bool gprof_has_anything(const struct callgraph_node *node);

/* Entries and their numbers; gprof_unnumber() frees them.  Returns 0 or -ENOMEM. */
int gprof_number(struct gprof_section *section);
void gprof_unnumber(struct gprof_section *section);

void gprof_print_flat(const struct gprof_section *section);
int gprof_print_graph(const struct gprof_section *section);
void gprof_print_doubts(const struct gprof_section *section);

/* They return 0 or -ENOMEM. */
int gprof_print_json(const struct gprof_section *section);
int gprof_print_csv(const struct gprof_section *section);
int gprof_print_markdown(const struct gprof_section *section);
