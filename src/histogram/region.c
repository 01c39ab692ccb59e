// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/region.h"

#include "base/array.h"
#include "histogram/cell.h"
#include "histogram/region_table.h"

/* The way of a tick.  It may come at any instruction of the program, so nothing here calls out of
 * this file, cell.c and scale.c (tests/lint/signal-safe.sh). */

/* SVR4's counters are of C's short. */
#define ENDS_ALL_BEYOND 32767

/* The last span that starts at PC or below, or NULL. */
static const struct region_span *find_span(const struct region_table *table, uintptr_t pc)
{
	size_t behind = ARRAY_FIRST_NOT(i, table->span_count, table->spans[i].start <= pc);

	return behind ? &table->spans[behind - 1] : NULL;
}

static uint64_t cell_of(const struct region *region, uintptr_t pc)
{
	uint64_t distance = pc - region->offset;

	if (region->catch_all)
		return 0;
	if (region->granule)
		return distance / region->granule;
	return scale_cell(region->rule, distance, region->scale, region->width);
}

/* A span ends where the next one starts or where its region's cells do, so nobody has to ask where
 * it ends: behind it there is another span, be it nobody's, or no cell. */
bool region_find(const struct region_table *table, uintptr_t pc, uint32_t *ret_region,
		 size_t *ret_cell)
{
	const struct region_span *span = find_span(table, pc);
	uint64_t cell;

	if (!span || span->region == REGION_NONE)
		return false;
	cell = cell_of(&table->regions[span->region], pc);
	if (cell >= table->regions[span->region].count)
		return false;
	*ret_region = span->region;
	*ret_cell = (size_t)cell;
	return true;
}

enum region_result region_add(const struct region *region, size_t cell, uint32_t ticks)
{
	bool ends_all = region->full == CELL_ENDS_ALL;
	uint64_t limit = ends_all ? ENDS_ALL_BEYOND : cell_max(region->width);
	uint64_t count, room, added;

	if (region->full == CELL_WRAPS) {
		cell_add(region->cells, cell, region->width, ticks);
		return REGION_COUNTED;
	}
	do {
		count = cell_load(region->cells, cell, region->width);
		room = count < limit ? limit - count : 0;
		if (room < ticks && ends_all)
			return REGION_ENDS_ALL;
		added = ticks < room ? ticks : room;
	} while (!cell_swap(region->cells, cell, region->width, count, count + added));
	return added == ticks ? REGION_COUNTED : REGION_IS_FULL;
}
