/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/disasm.h"

/* The ways through one function: blocks of instructions that run one after the other, and which
 * block dominates which (every way into B leads through A). */

/* One instruction as the graph sees it. */
struct step {
	enum disasm_flow flow;
	uint32_t target; /* the step it may jump to, GRAPH_NONE: none, or not in the function */
};

#define GRAPH_NONE UINT32_MAX

/* Two blocks are made up.  ENTRY leads to the first real one, and to code that nobody is seen to
 * reach.  DISPATCH stands for the tables of a switch: every jump to somewhere unknown leads to it,
 * and it to all code that nobody else is seen to reach. */
enum { GRAPH_ENTRY, GRAPH_DISPATCH, GRAPH_FIRST };

struct block {
	uint32_t first, end; /* its steps; end exclusive */
	uint32_t next[2];    /* where it leads, GRAPH_NONE: nowhere */
	bool dispatches;     /* leads to GRAPH_DISPATCH as well */
	bool is_orphan;	     /* no real block leads to it */
	bool is_reached;     /* a way from the entry or the dispatch is known by now */
};

struct edge {
	uint32_t from, to;
};

struct graph {
	struct block *blocks;
	uint32_t block_count;
	struct edge *edges;   /* by where they lead to, then by where they come from */
	uint32_t *first_edge; /* of each block, in edges; block_count + 1 of them */
	size_t edge_count, edge_capacity;
	uint32_t *dominators; /* of each block the nearest other one; GRAPH_NONE: never reached */
	uint32_t *ranks;      /* of each block its place in postorder; GRAPH_NONE: never reached */
};

/* Returns 0 or -ENOMEM.  The caller frees *RET_GRAPH with graph_done(). */
int graph_build(const struct step *steps, uint32_t count, struct graph *ret_graph);
void graph_done(struct graph *graph);

/* Does A dominate B (or is it B)? */
bool graph_dominates(const struct graph *graph, uint32_t a, uint32_t b);
