/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/annotate.h"
#include "symbol/code.h"

/* The steps of annotate(): where its rows come from in the source, and where they go. */

/* Give the rows of ANNOTATION, which is of MAPPING, their lines, by the debug information of its
 * file where there is code and by what the profile has otherwise: LOCATIONS has for each row the
 * location of one of its cells, or ANNOTATE_NONE.  Then add up the lines' and files' samples, sort
 * both, and read the sources.  Returns 0 or -ENOMEM. */
int annotate_lines(struct annotation *annotation, uint32_t mapping, const uint32_t *locations,
		   struct symbols *symbols);

/* The row that ADDRESS is in: the last one that begins at it or below, the first one at least. */
uint32_t annotate_find_row(const struct annotation *annotation, uint64_t address);

/* Find out where the instructions of ANNOTATION go: its steps, its loops, the functions it calls,
 * which CODE names.  Returns 0 or -ENOMEM. */
int annotate_flow(struct annotation *annotation, struct code *code);
