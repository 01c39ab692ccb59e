// SPDX-License-Identifier: BSD-2-Clause
#include "saver/counted.h"

#include "base/array.h"
#include "saver/cells.h"
#include "saver/objects.h"

#include <errno.h>
#include <stdlib.h>

struct reading {
	const struct save_counted *counted;
	struct histogram *histogram;
	struct objects objects; /* those loaded now */
	uint32_t *files;	/* of each object that is gone, its file */
};

/* One object's file each, though two may have been from one: the profile has them once. */
static int add_gone(struct reading *reading)
{
	const struct save_counted *counted = reading->counted;
	int ret = 0;

	reading->files = calloc(counted->object_count + 1, sizeof(*reading->files));
	if (!reading->files)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < counted->object_count; i++) {
		if (!counted->objects[i].is_gone)
			continue;
		ret = objects_add_file(reading->histogram, counted->objects[i].path);
		reading->files[i] = (uint32_t)reading->histogram->file_count - 1;
	}
	return ret;
}

/* Where ADDRESS of the object INDEX is, in CELL. */
static int place(struct reading *reading, uint32_t index, uintptr_t address,
		 struct histogram_cell *cell)
{
	const struct save_object *object = &reading->counted->objects[index];

	if (!object->is_gone)
		return cells_place(&reading->objects, address, reading->histogram, cell);
	*cell = (struct histogram_cell){
		.space = CELL_FILE,
		.file = reading->files[index],
		.task = HISTOGRAM_NO_TASK,
		.address = address - object->low + object->offset,
		.ticks = cell->ticks,
	};
	return 0;
}

static int add_cells(struct reading *reading, uint32_t index)
{
	const struct save_object *object = &reading->counted->objects[index];
	struct histogram *histogram = reading->histogram;
	int ret = 0;

	for (size_t i = 0; !ret && i < object->count; i++) {
		struct histogram_cell *cell;
		uint64_t ticks = object->cells[i];

		if (!ticks)
			continue;
		if (ARRAY_RESERVE(histogram->cells, histogram->cell_capacity,
				  histogram->cell_count + 1))
			return -ENOMEM;
		cell = &histogram->cells[histogram->cell_count++];
		cell->ticks = ticks;
		histogram->fired += ticks;
		ret = place(reading, index, object->low + i * object->granule, cell);
	}
	return ret;
}

/* Calls of a function of no object are not told: it has no name anywhere. */
static int add_call(struct reading *reading, const struct save_call *from)
{
	struct histogram *histogram = reading->histogram;
	struct histogram_call *call;
	int ret;

	if (from->callee_object == SAVE_NOBODY)
		return 0;
	if (ARRAY_RESERVE(histogram->calls, histogram->call_capacity, histogram->call_count + 1))
		return -ENOMEM;
	call = &histogram->calls[histogram->call_count++];
	*call = (struct histogram_call){
		.has_caller = from->caller_object != SAVE_NOBODY,
		.count = from->count,
	};
	ret = place(reading, from->callee_object, from->callee, &call->callee);
	if (!ret && call->has_caller)
		ret = place(reading, from->caller_object, from->caller, &call->caller);
	return ret;
}

int counted_read(const struct save_counted *counted, struct histogram *histogram)
{
	struct reading reading = {.counted = counted, .histogram = histogram};
	int ret = objects_read(histogram, &reading.objects);

	ret = ret ? ret : add_gone(&reading);
	for (uint32_t i = 0; !ret && i < counted->object_count; i++)
		ret = add_cells(&reading, i);
	for (size_t i = 0; !ret && i < counted->call_count; i++)
		ret = add_call(&reading, &counted->calls[i]);
	objects_done(&reading.objects);
	free(reading.files);
	return ret;
}
