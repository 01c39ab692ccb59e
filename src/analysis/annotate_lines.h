/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/annotate.h"

/* Where each row of an annotation comes from in the source. */

/* Give the rows of ANNOTATION, which is of MAPPING, their lines, by the debug information of its
 * file where there is code and by what the profile has otherwise: LOCATIONS has for each row the
 * location of one of its cells, or ANNOTATE_NONE.  Then add up the lines' and files' ticks, sort
 * both, and read the sources.  Returns 0 or -ENOMEM. */
int annotate_lines(struct annotation *annotation, uint32_t mapping, const uint32_t *locations,
		   struct symbols *symbols);
