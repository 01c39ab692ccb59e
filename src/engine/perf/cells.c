// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/cells.h"

#include "base/array.h"
#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t hash_of(const struct histogram_cell *cell)
{
	const uint64_t words[] = {cell->address, (uint64_t)cell->file << 32 | cell->task,
				  (uint64_t)cell->context << 32 | (uint64_t)cell->stack_end << 8 |
					  cell->space};

	return hash_bytes(words, sizeof(words));
}

static bool member_is(const void *set, uint32_t number, const void *key)
{
	const struct perf_cells *cells = set;
	const struct histogram_cell *a = &cells->cells[number], *b = key;

	return a->address == b->address && a->space == b->space && a->file == b->file &&
	       a->task == b->task && a->context == b->context && a->stack_end == b->stack_end;
}

int perf_cells_init(struct perf_cells *cells, size_t limit)
{
	*cells = (struct perf_cells){.cells = calloc(limit, sizeof(*cells->cells)), .limit = limit};
	return cells->cells ? slots_grow(&cells->slots, limit) : -ENOMEM;
}

bool perf_cells_add(struct perf_cells *cells, const struct histogram_cell *cell, uint64_t ticks)
{
	uint32_t *slot = slots_find(&cells->slots, member_is, cells, cell, hash_of(cell));

	if (!*slot) {
		if (cells->count == cells->limit)
			return false;
		cells->cells[cells->count] = *cell;
		cells->cells[cells->count++].ticks = 0;
		*slot = (uint32_t)cells->count;
	}
	cells->cells[*slot - 1].ticks += ticks;
	return true;
}

int perf_cells_read(const struct perf_cells *cells, struct histogram *histogram)
{
	size_t need = histogram->cell_count + cells->count;

	if (ARRAY_RESERVE(histogram->cells, histogram->cell_capacity, need))
		return -ENOMEM;
	for (size_t i = 0; i < cells->count; i++)
		histogram->cells[histogram->cell_count++] = cells->cells[i];
	return 0;
}

void perf_cells_done(struct perf_cells *cells)
{
	free(cells->cells);
	slots_done(&cells->slots);
	*cells = (struct perf_cells){0};
}
