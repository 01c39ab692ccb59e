/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* Functions with their samples, who called whom, and the time handed up from the called to their
 * callers as gprof does it: each call of a function is taken to cost the same (S. L. Graham,
 * P. B. Kessler, M. K. McKusick, gprof: a call graph execution profiler, 1982).
 *
 * Functions that call each other in a circle cannot be told apart in this, and are one cycle: what
 * is called from outside is the cycle, and its time is handed up by the calls into it.  Calls whose
 * caller is not known (out of code without -pg, in a file of gmon.out) have their part of the time
 * like all others, and nobody gets it. */

#define CALLGRAPH_NONE UINT32_MAX

/* A function that stands in the symbol table, with all that was inlined into it. */
struct callgraph_node {
	const char *name;
	const char *object;	     /* base name of its file */
	const char *path;	     /* the file's full path */
	uint64_t ticks;		     /* its own */
	uint64_t calls;		     /* by others and by who is not known */
	uint64_t unknown_calls;	     /* of these, by who is not known */
	uint64_t self_calls;	     /* by itself */
	uint32_t cycle;		     /* index in cycles, CALLGRAPH_NONE: it is in none */
	double below;		     /* samples of what it called, outside of its cycle */
	uint32_t first, count;	     /* its calls of others, in arcs */
	uint32_t first_in, in_count; /* calls of it, in incoming */
	uint32_t first_inlined, inlined_count;
};

/* All calls of one function by another one; those of a function by itself are no arc. */
struct callgraph_arc {
	uint32_t caller, callee;
	uint64_t count;
	/* Samples of the callee (its cycle) that these calls hand up; 0 in one. */
	double own, below;
};

struct callgraph_cycle {
	uint32_t first, count; /* in members */
	uint64_t ticks, calls; /* its members' own; calls from outside */
	uint64_t inner_calls;  /* from member to another, as gprof has it */
	double below;
};

/* Samples of a node in a function that the compiler inlined into it. */
struct callgraph_inlined {
	uint32_t node;
	const char *name;
	uint64_t ticks;
};

struct callgraph {
	struct callgraph_node *nodes; /* most samples first, then most calls, then by name */
	size_t node_count;
	uint32_t *locations;	    /* of each of the profile's that was met, its node */
	struct callgraph_arc *arcs; /* by caller, then callee */
	size_t arc_count;
	uint32_t *incoming; /* the arcs' numbers, by callee, then caller */
	struct callgraph_cycle *cycles;
	size_t cycle_count;
	uint32_t *members;		   /* nodes, cycle by cycle */
	struct callgraph_inlined *inlined; /* by node, most samples first */
	size_t inlined_count;
	uint64_t ticks; /* of all nodes */
	uint64_t calls; /* of all */
	char **owned;	/* text that only the graph has */
	size_t owned_count, owned_capacity;
};

/* The graph of PROFILE, whose names are there; it points into PROFILE.  *RET_GRAPH is freed with
 * callgraph_free(), which takes NULL and returns NULL.  Returns 0 or -ENOMEM. */
int callgraph_build(const struct profile *profile, struct callgraph **ret_graph);
struct callgraph *callgraph_free(struct callgraph *graph);

/* Of a graph whose nodes have samples, calls and unknown_calls, and whose arcs are in order: find
 * who calls whom, the cycles and the times.  A part of callgraph_build().  Returns 0 or -ENOMEM. */
int callgraph_settle(struct callgraph *graph);

/* Samples of a node with those below it, of its cycle's where it is in one. */
double callgraph_total(const struct callgraph *graph, const struct callgraph_node *node);

/* What calls from outside of NODE, or its cycle, are divided by. */
uint64_t callgraph_calls_into(const struct callgraph *graph, const struct callgraph_node *node);
