/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/annotate.h"
#include "symbol/code.h"

/* The row that ADDRESS is in: the last one that begins at it or below, the first one at least. */
uint32_t annotate_find_row(const struct annotation *annotation, uint64_t address);

/* Find out where the instructions of ANNOTATION go: its steps, its loops, the functions it calls,
 * which CODE names.  Returns 0 or -ENOMEM. */
int annotate_flow(struct annotation *annotation, struct code *code);
