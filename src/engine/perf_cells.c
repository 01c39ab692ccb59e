// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf_cells.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

#define ROOM_FIRST 1024

static bool is_same(const struct histogram_cell *a, const struct histogram_cell *b)
{
	return a->address == b->address && a->space == b->space && a->file == b->file &&
	       a->task == b->task;
}

/* The cell that KEY names, or the free one where it would be.  There is room. */
static struct histogram_cell *find(const struct perf_cells *cells, const struct histogram_cell *key)
{
	uint64_t mixed = key->address ^ (uint64_t)key->file << 40 ^ (uint64_t)key->task << 20 ^
			 (uint64_t)key->space << 60;
	size_t at = (size_t)(mixed * 0x9e3779b97f4a7c15 >> 32) & (cells->room - 1);

	while (cells->cells[at].ticks && !is_same(&cells->cells[at], key))
		at = (at + 1) & (cells->room - 1);
	return &cells->cells[at];
}

/* Half of the room stays free.  False: there is no memory. */
static bool grow(struct perf_cells *cells)
{
	struct perf_cells bigger = {.room = cells->room ? 2 * cells->room : ROOM_FIRST};

	if (2 * (cells->count + 1) <= cells->room)
		return true;
	bigger.cells = calloc(bigger.room, sizeof(*bigger.cells));
	if (!bigger.cells)
		return false;
	for (size_t i = 0; i < cells->room; i++)
		if (cells->cells[i].ticks)
			*find(&bigger, &cells->cells[i]) = cells->cells[i];
	free(cells->cells);
	cells->cells = bigger.cells;
	cells->room = bigger.room;
	return true;
}

bool perf_cells_add(struct perf_cells *cells, const struct histogram_cell *cell, uint64_t ticks)
{
	struct histogram_cell *found = cells->room ? find(cells, cell) : NULL;

	if (!found || !found->ticks) {
		if (cells->count >= cells->limit || !grow(cells))
			return false;
		found = find(cells, cell);
		*found = *cell;
		found->ticks = 0;
		cells->count++;
	}
	found->ticks += ticks;
	return true;
}

int perf_cells_read(const struct perf_cells *cells, struct histogram *histogram)
{
	size_t need = histogram->cell_count + cells->count;

	if (ARRAY_RESERVE(histogram->cells, histogram->cell_capacity, need))
		return -ENOMEM;
	for (size_t i = 0; i < cells->room; i++)
		if (cells->cells[i].ticks)
			histogram->cells[histogram->cell_count++] = cells->cells[i];
	return 0;
}

void perf_cells_done(struct perf_cells *cells)
{
	free(cells->cells);
	*cells = (struct perf_cells){0};
}
