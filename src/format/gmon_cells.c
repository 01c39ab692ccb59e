// SPDX-License-Identifier: BSD-2-Clause
#include "format/gmon_cells.h"

#include "base/array.h"
#include "format/gmon.h"

#include <errno.h>
#include <stdlib.h>

/* Only text of a file has an address that gprof could look up. */
static bool is_of_file(const struct profile *profile, const struct profile_location *location)
{
	enum profile_class class = profile->mappings[location->mapping].class;

	return location->kind == LOCATION_ADDRESS &&
	       (class == CLASS_PROGRAM || class == CLASS_LIBRARIES);
}

static int compare(const void *left, const void *right)
{
	const struct gmon_cell *a = left, *b = right;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static void add_equal(struct gmon_cells *cells)
{
	size_t count = 0;

	ARRAY_SORT(cells->items, cells->count, compare);
	for (size_t i = 0; i < cells->count; i++) {
		if (count && !compare(&cells->items[count - 1], &cells->items[i]))
			cells->items[count - 1].ticks =
				ticks_add(cells->items[count - 1].ticks, cells->items[i].ticks);
		else
			cells->items[count++] = cells->items[i];
	}
	cells->count = count;
}

static void add_cell(struct gmon_cells *cells, const struct profile_location *location,
		     const uint32_t *objects, uint64_t ticks)
{
	cells->ticks = ticks_add(cells->ticks, ticks);
	if (location->address % GMON_BIN)
		cells->moved = ticks_add(cells->moved, ticks);
	cells->items[cells->count++] = (struct gmon_cell){
		.object = objects[location->mapping],
		.address = location->address - location->address % GMON_BIN,
		.ticks = ticks,
	};
}

int gmon_cells_of(const struct profile *profile, const uint32_t *objects,
		  struct gmon_cells *ret_cells)
{
	struct gmon_cells cells = {.count = 0};

	cells.items = calloc(profile->cell_count + profile->call_count + 1, sizeof(*cells.items));
	if (!cells.items)
		return -ENOMEM;
	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		const struct profile_location *location = &profile->locations[cell->location];

		if (is_of_file(profile, location) && cell->ticks)
			add_cell(&cells, location, objects, cell->ticks);
	}
	for (size_t i = 0; i < profile->call_count; i++) {
		const struct profile_call *call = &profile->calls[i];
		const struct profile_location *callee = &profile->locations[call->callee];

		if (is_of_file(profile, callee) && call->count)
			add_cell(&cells, callee, objects, /* ticks= */ 0);
	}
	add_equal(&cells);
	*ret_cells = cells;
	return 0;
}

size_t gmon_cells_of_object(const struct gmon_cells *cells, size_t first)
{
	size_t end = first;

	while (end < cells->count && cells->items[end].object == cells->items[first].object)
		end++;
	return end - first;
}

size_t gmon_cells_main(const struct gmon_cells *cells, const struct profile *profile)
{
	size_t best = 0, count;
	uint64_t most = 0;
	bool has_program = false;

	for (size_t first = 0; first < cells->count; first += count) {
		uint32_t object = cells->items[first].object;
		bool is_program = profile->mappings[object].class == CLASS_PROGRAM;
		uint64_t ticks = 0;

		count = gmon_cells_of_object(cells, first);
		for (size_t i = first; i < first + count; i++)
			ticks = ticks_add(ticks, cells->items[i].ticks);
		if (is_program == has_program ? ticks <= most : has_program)
			continue;
		best = first;
		most = ticks;
		has_program = is_program;
	}
	return has_program || gmon_cells_of_object(cells, 0) == cells->count ? best : cells->count;
}
