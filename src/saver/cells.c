// SPDX-License-Identifier: BSD-2-Clause
#include "saver/cells.h"

#include "base/array.h"
#include "histogram/cell.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Code of no file is a process's own: it has this one task, when it has any. */
static int own_task(struct histogram *histogram, uint32_t *ret_task)
{
	*ret_task = 0;
	if (histogram->task_count)
		return 0;
	if (ARRAY_RESERVE(histogram->tasks, histogram->task_capacity, 1))
		return -ENOMEM;
	histogram->tasks[0] = (struct histogram_task){.pid = (uint32_t)getpid()};
	(void)prctl(PR_GET_NAME, histogram->tasks[0].name);
	histogram->task_count = 1;
	return 0;
}

/* Where ADDRESS of this process lies, in all of CELL but its ticks.  Returns 0 or -ENOMEM. */
static int place(const struct objects *objects, uintptr_t address, struct histogram *histogram,
		 struct histogram_cell *cell)
{
	const struct object_segment *segment = objects_find(objects, address);

	cell->task = HISTOGRAM_NO_TASK;
	cell->address = address;
	cell->space = CELL_ANONYMOUS;
	if (!segment)
		return own_task(histogram, &cell->task);
	cell->address = address - segment->start + segment->offset;
	cell->space = segment->file == OBJECT_VDSO ? CELL_VDSO : CELL_FILE;
	cell->file = segment->file == OBJECT_VDSO ? 0 : segment->file;
	return 0;
}

static int add_cell(const struct objects *objects, uintptr_t address, uint64_t ticks,
		    struct histogram *histogram)
{
	struct histogram_cell *cell;

	if (ARRAY_RESERVE(histogram->cells, histogram->cell_capacity, histogram->cell_count + 1))
		return -ENOMEM;
	cell = &histogram->cells[histogram->cell_count];
	*cell = (struct histogram_cell){.ticks = ticks};
	if (place(objects, address, histogram, cell))
		return -ENOMEM;
	histogram->cell_count++;
	histogram->fired += ticks;
	return 0;
}

/* The cell for all other text says of no tick where it was. */
static void add_overflow(uint64_t ticks, struct histogram *histogram)
{
	histogram->unresolved[UNRESOLVED_OVERFLOW_BIN] += ticks;
	histogram->fired += ticks;
}

static int add_region(const struct objects *objects, const struct region *region,
		      struct histogram *histogram)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < region->count; i++) {
		uint64_t ticks = cell_load(region->cells, i, region->width);

		if (region->catch_all)
			add_overflow(ticks, histogram);
		else if (ticks)
			ret = add_cell(objects, region->offset + i * region->granule, ticks,
				       histogram);
	}
	return ret;
}

int cells_read(const struct region_table *table, struct histogram *histogram)
{
	size_t count;
	const struct region *regions = region_table_regions(table, &count);
	struct objects objects;
	int ret = objects_read(histogram, &objects);

	for (size_t i = 0; !ret && i < count; i++)
		ret = add_region(&objects, &regions[i], histogram);
	objects_done(&objects);
	return ret;
}
