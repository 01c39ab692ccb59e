/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/slots.h"
#include "histogram/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The cells of a measurement, up to a limit, in the order of their first ticks.  Where those fall
 * is the program's choice: it cannot choose cells that cost more than others. */

struct perf_cells {
	struct histogram_cell *cells; /* heap */
	size_t count, limit;
	struct slots slots;
};

/* Room for LIMIT cells, so that no tick can lack memory: pages that none is in take none.  Returns
 * 0 or -ENOMEM; perf_cells_done() in any case. */
int perf_cells_init(struct perf_cells *cells, size_t limit);

/* Add TICKS (at least 1) to the cell that CELL names; its own ticks are not read.
 * False: the table is full and has no such cell. */
bool perf_cells_add(struct perf_cells *cells, const struct histogram_cell *cell, uint64_t ticks);

/* Append all cells to HISTOGRAM.  Returns 0 or -ENOMEM. */
int perf_cells_read(const struct perf_cells *cells, struct histogram *histogram);

void perf_cells_done(struct perf_cells *cells);
