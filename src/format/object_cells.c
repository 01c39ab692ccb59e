// SPDX-License-Identifier: BSD-2-Clause
#include "format/object_cells.h"

#include "base/array.h"
#include "format/gmon.h"

#include <errno.h>
#include <stdlib.h>

/* Only text of a file has an address that can be looked up. */
static bool is_of_file(const struct profile *profile, const struct profile_location *location)
{
	enum profile_class class = profile->mappings[location->mapping].class;

	return location->kind == LOCATION_ADDRESS &&
	       (class == CLASS_PROGRAM || class == CLASS_LIBRARIES);
}

static int compare(const void *left, const void *right)
{
	const struct object_cell *a = left, *b = right;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

static void add_equal(struct object_cells *cells)
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

/* TICKS at the location INDEX, if it is text of a file. */
static void add_cell(struct object_cells *cells, const struct profile *profile,
		     const uint32_t *objects, enum object_cells_by by, uint32_t index,
		     uint64_t ticks)
{
	const struct profile_location *location = &profile->locations[index];
	const struct profile_mapping *mapping = &profile->mappings[location->mapping];
	uint64_t address = location->address, odd = address % GMON_BIN;

	if (!is_of_file(profile, location))
		return;
	if (by == OBJECT_CELLS_OFFSETS)
		address += mapping->offset - mapping->start;
	else
		address -= odd;
	cells->ticks = ticks_add(cells->ticks, ticks);
	if (by == OBJECT_CELLS_BINS && odd)
		cells->moved = ticks_add(cells->moved, ticks);
	cells->items[cells->count++] =
		(struct object_cell){objects[location->mapping], address, ticks};
}

int object_cells_of(const struct profile *profile, const uint32_t *objects, enum object_cells_by by,
		    struct object_cells *ret_cells)
{
	struct object_cells cells = {.count = 0};

	cells.items = calloc(profile->cell_count + profile->call_count + 1, sizeof(*cells.items));
	if (!cells.items)
		return -ENOMEM;
	for (size_t i = 0; i < profile->cell_count; i++)
		if (profile->cells[i].ticks)
			add_cell(&cells, profile, objects, by, profile->cells[i].location,
				 profile->cells[i].ticks);
	for (size_t i = 0; by == OBJECT_CELLS_BINS && i < profile->call_count; i++)
		if (profile->calls[i].count)
			add_cell(&cells, profile, objects, by, profile->calls[i].callee,
				 /* ticks= */ 0);
	add_equal(&cells);
	*ret_cells = cells;
	return 0;
}

size_t object_cells_count(const struct object_cells *cells, size_t first)
{
	size_t end = first;

	while (end < cells->count && cells->items[end].object == cells->items[first].object)
		end++;
	return end - first;
}

size_t object_cells_main(const struct object_cells *cells, const struct profile *profile)
{
	size_t best = 0, count;
	uint64_t most = 0;
	bool has_program = false;

	for (size_t first = 0; first < cells->count; first += count) {
		uint32_t object = cells->items[first].object;
		bool is_program = profile->mappings[object].class == CLASS_PROGRAM;
		uint64_t ticks = 0;

		count = object_cells_count(cells, first);
		for (size_t i = first; i < first + count; i++)
			ticks = ticks_add(ticks, cells->items[i].ticks);
		if (is_program == has_program ? ticks <= most : has_program)
			continue;
		best = first;
		most = ticks;
		has_program = is_program;
	}
	return has_program || object_cells_count(cells, 0) == cells->count ? best : cells->count;
}
