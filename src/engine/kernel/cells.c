// SPDX-License-Identifier: BSD-2-Clause
/* All cells in one array: those of the table, and those each CPU added to last. */
#include "engine/kernel/private.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

int kernel_map_read(struct bpf_map *map, void **ret_keys, void **ret_values, uint32_t *ret_count)
{
	uint32_t room = bpf_map__max_entries(map), count = 0, chunk;
	char *keys = calloc(room, bpf_map__key_size(map));
	char *values = calloc(room, bpf_map__value_size(map));
	uint32_t batch;
	int ret = keys && values ? 0 : -ENOMEM;

	for (bool first = true; !ret && count < room; first = false) {
		chunk = room - count;
		ret = bpf_map_lookup_batch(bpf_map__fd(map), first ? NULL : &batch, &batch,
					   keys + (size_t)count * bpf_map__key_size(map),
					   values + (size_t)count * bpf_map__value_size(map),
					   &chunk, NULL);
		if (!ret || ret == -ENOENT)
			count += chunk;
	}
	if (ret && ret != -ENOENT) { /* -ENOENT: that was the last of it */
		free(keys);
		free(values);
		return ret;
	}
	*ret_keys = keys;
	*ret_values = values;
	*ret_count = count;
	return 0;
}

static int add(struct kernel_cells *cells, const struct kernel_cell *cell)
{
	if (ARRAY_RESERVE(cells->cells, cells->capacity, cells->count + 1))
		return -ENOMEM;
	cells->cells[cells->count++] = *cell;
	return 0;
}

static int add_table(struct engine *engine, struct kernel_cells *cells)
{
	struct kernel_cell_key *keys;
	uint64_t *counts;
	uint32_t count;
	int ret = kernel_map_read(engine->kernel->maps.cells, (void **)&keys, (void **)&counts,
				  &count);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = add(cells, &(struct kernel_cell){{.place = keys[i]}, counts[i]});
	free(keys);
	free(counts);
	return ret;
}

static int add_stack_table(struct engine *engine, struct kernel_cells *cells)
{
	struct kernel_stack_key *keys;
	uint64_t *counts;
	uint32_t count;
	int ret = kernel_map_read(engine->kernel->maps.stack_cells, (void **)&keys,
				  (void **)&counts, &count);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = add(cells, &(struct kernel_cell){keys[i], counts[i]});
	free(keys);
	free(counts);
	return ret;
}

/* One part of the recent cells, of all CPUS. */
static int add_part(const struct kernel_recent *all, size_t cpus, struct kernel_cells *cells)
{
	int ret = 0;

	for (size_t i = 0; i < cpus * KERNEL_RECENT && !ret; i++) {
		const struct kernel_recent_cell *cell =
			&all[i / KERNEL_RECENT].cells[i % KERNEL_RECENT];

		if (cell->ticks)
			ret = add(cells, &(struct kernel_cell){{.place = cell->key}, cell->ticks});
	}
	return ret;
}

static int add_stack_recent(struct engine *engine, struct kernel_cells *cells)
{
	int cpus = libbpf_num_possible_cpus(), ret;
	struct kernel_stack_recent *all;
	uint32_t zero = 0;

	if (cpus < 0)
		return cpus;
	all = calloc((size_t)cpus, sizeof(*all));
	if (!all)
		return -ENOMEM;
	ret = bpf_map_lookup_elem(bpf_map__fd(engine->kernel->maps.stack_recent), &zero, all);
	for (size_t i = 0; i < (size_t)cpus * STACK_RECENT && !ret; i++) {
		const struct kernel_stack_recent_cell *cell =
			&all[i / STACK_RECENT].cells[i % STACK_RECENT];

		if (cell->ticks)
			ret = add(cells, &(struct kernel_cell){cell->key, cell->ticks});
	}
	free(all);
	return ret;
}

static int add_recent(struct engine *engine, struct kernel_cells *cells)
{
	int cpus = libbpf_num_possible_cpus(), ret;
	struct kernel_recent *all;

	if (cpus < 0)
		return cpus;
	all = calloc((size_t)cpus, sizeof(*all));
	if (!all)
		return -ENOMEM;
	ret = 0;
	for (uint32_t part = 0; part < KERNEL_RECENT_PARTS && !ret; part++) {
		ret = bpf_map_lookup_elem(bpf_map__fd(engine->kernel->maps.recent), &part, all);
		ret = ret ? ret : add_part(all, (size_t)cpus, cells);
	}
	free(all);
	return ret;
}

static int compare_keys(const void *a, const void *b)
{
	const struct kernel_stack_key *x = a, *y = b;

	/* As profiles have them: what is in order already is put in order soon. */
	ARRAY_COMPARE(x->place.file, y->place.file);
	ARRAY_COMPARE(x->place.address, y->place.address);
	ARRAY_COMPARE(x->place.task, y->place.task);
	ARRAY_COMPARE(x->context, y->context);
	ARRAY_COMPARE(x->end, y->end);
	return 0;
}

static int compare_ticks(const void *a, const void *b)
{
	const struct kernel_cell *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks > y->ticks ? -1 : 1;
	return compare_keys(a, b);
}

static void add_up(struct kernel_cells *cells)
{
	size_t last = 0;

	ARRAY_SORT(cells->cells, cells->count, compare_keys);
	for (size_t i = 1; i < cells->count; i++) {
		if (compare_keys(&cells->cells[last], &cells->cells[i]))
			cells->cells[++last] = cells->cells[i];
		else
			cells->cells[last].ticks += cells->cells[i].ticks;
	}
	cells->count = cells->count ? last + 1 : 0;
}

int kernel_cells_read(struct engine *engine, struct kernel_cells *ret_cells)
{
	struct kernel_cells cells = {};
	bool has_stacks = engine->options.call_stacks;
	int ret = has_stacks ? add_stack_table(engine, &cells) : add_table(engine, &cells);

	if (!ret)
		ret = has_stacks ? add_stack_recent(engine, &cells) : add_recent(engine, &cells);
	if (ret) {
		kernel_cells_done(&cells);
		return ret;
	}
	add_up(&cells);
	cells.kept = cells.count;
	if (cells.count > engine->cell_limit) {
		ARRAY_SORT(cells.cells, cells.count, compare_ticks);
		cells.kept = engine->cell_limit;
	}
	*ret_cells = cells;
	return 0;
}

void kernel_cells_done(struct kernel_cells *cells)
{
	free(cells->cells);
	memset(cells, 0, sizeof(*cells));
}
