/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cell INDEX of an array of cells of WIDTH bytes (1, 2, 4 or 8, aligned to it), each step atomic in
 * that width and without order: counts say nothing of other memory.
 * Signal-safe: yes.  Thread-safe: yes. */

/* The largest count. */
uint64_t cell_max(unsigned width);

uint64_t cell_load(const void *cells, size_t index, unsigned width);

/* Add TICKS modulo the width. */
void cell_add(void *cells, size_t index, unsigned width, uint32_t ticks);

/* Put NEXT where OLD is.  False: nothing changed, for something else is there or without a reason.
 */
bool cell_swap(void *cells, size_t index, unsigned width, uint64_t old, uint64_t next);
