/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/graph.h"

/* Fill GRAPH->dominators, the rest of it being there: K. D. Cooper, T. J. Harvey, K. Kennedy, "A
 * Simple, Fast Dominance Algorithm", 2001.  Returns 0 or -ENOMEM. */
int dominators_find(struct graph *graph);
