// SPDX-License-Identifier: BSD-2-Clause
/* Whose the cells are: processes, threads, CPUs and control groups by name. */
#include "engine/kernel/private.h"

#include "base/array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

/* A control group by its id; its index in the histogram is known when all are in order. */
struct group {
	uint64_t id;
	char *path; /* heap, the histogram's in the end */
	uint32_t index;
};

struct groups {
	struct group *items;
	size_t count, capacity;
};

/* A number that the kernel gave an owner, and the owner's index in the histogram. */
struct numbered {
	uint32_t number, index;
};

struct tasks {
	struct engine *engine;
	struct histogram *histogram;
	uint32_t *numbers; /* as the kernel's table has them, */
	struct kernel_task *names;
	uint32_t count;
	struct numbered *sorted; /* and in order */
	struct groups groups;
};

/* ---- control groups ---- */

static int compare_ids(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(((const struct group *)a)->path, ((const struct group *)b)->path);
}

static struct group *group_find(const struct groups *groups, uint64_t id)
{
	if (!groups->count)
		return NULL;
	return bsearch(&(struct group){.id = id}, groups->items, groups->count,
		       sizeof(*groups->items), compare_ids);
}

/* PATH, heap or NULL for want of memory, is taken over. */
static int group_add(struct groups *groups, uint64_t id, char *path)
{
	if (!path || ARRAY_RESERVE(groups->items, groups->capacity, groups->count + 1)) {
		free(path);
		return -ENOMEM;
	}
	groups->items[groups->count++] = (struct group){.id = id, .path = path};
	return 0;
}

/* The root has no name of its own. */
static int groups_read(struct tasks *tasks)
{
	const char *heap = tasks->engine->kernel->bss->path_heap;
	struct kernel_cgroup *paths;
	uint64_t *ids;
	uint32_t count;
	int ret = kernel_map_read(tasks->engine->kernel->maps.cgroups, (void **)&ids,
				  (void **)&paths, &count);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = group_add(&tasks->groups, ids[i],
				paths[i].path_length
					? strndup(heap + paths[i].path_offset, paths[i].path_length)
					: strdup("/"));
	free(ids);
	free(paths);
	if (!ret)
		ARRAY_SORT(tasks->groups.items, tasks->groups.count, compare_ids);
	return ret;
}

/* There was no room for the name of a group that owns cells: its number is one, too. */
static int groups_complete(struct tasks *tasks)
{
	size_t named = tasks->groups.count;
	int ret = 0;

	for (uint32_t i = 0; i < tasks->count && !ret; i++) {
		uint64_t id = tasks->names[i].owner.cgroup;
		struct groups known = {tasks->groups.items, named, 0};
		char *path;

		if (!id || group_find(&known, id))
			continue;
		ret = asprintf(&path, "[cgroup %" PRIu64 "]", id) < 0
			      ? -ENOMEM
			      : group_add(&tasks->groups, id, path);
	}
	return ret;
}

/* Number the groups in the order of their paths; equal ones are one. */
static int groups_settle(struct tasks *tasks)
{
	struct histogram *histogram = tasks->histogram;
	struct groups *groups = &tasks->groups;

	if (!groups->count)
		return 0;
	if (ARRAY_RESERVE(histogram->cgroups, histogram->cgroup_capacity, groups->count))
		return -ENOMEM;
	ARRAY_SORT(groups->items, groups->count, compare_paths);
	for (size_t i = 0; i < groups->count; i++) {
		struct group *group = &groups->items[i];
		size_t last = histogram->cgroup_count;

		if (!last || strcmp(histogram->cgroups[last - 1], group->path) != 0) {
			histogram->cgroups[histogram->cgroup_count++] = group->path;
			group->path = NULL;
		}
		group->index = (uint32_t)histogram->cgroup_count;
	}
	ARRAY_SORT(groups->items, groups->count, compare_ids);
	return 0;
}

static int read_groups(struct tasks *tasks)
{
	int ret = tasks->engine->options.by_cgroup ? groups_read(tasks) : 0;

	if (!ret)
		ret = groups_complete(tasks);
	return ret ? ret : groups_settle(tasks);
}

/* ---- owners ---- */

static int compare_numbers(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static void fill_task(const struct tasks *tasks, const struct kernel_task *from,
		      struct histogram_task *to)
{
	const struct kernel_owner *owner = &from->owner;

	*to = (struct histogram_task){
		.pid = owner->pid, .tid = owner->tid, .cpu = owner->cpu, .exec = owner->exec};
	if (owner->cgroup)
		to->cgroup = group_find(&tasks->groups, owner->cgroup)->index;
	memcpy(to->name, from->name, sizeof(to->name));
	to->name[sizeof(to->name) - 1] = '\0';
}

static int fill_tasks(struct tasks *tasks)
{
	struct histogram *histogram = tasks->histogram;
	int ret = ARRAY_RESERVE(histogram->tasks, histogram->task_capacity, tasks->count + 1);

	tasks->sorted = calloc((size_t)tasks->count + 1, sizeof(*tasks->sorted));
	if (ret || !tasks->sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < tasks->count; i++) {
		tasks->sorted[i] =
			(struct numbered){tasks->numbers[i], (uint32_t)histogram->task_count};
		fill_task(tasks, &tasks->names[i], &histogram->tasks[histogram->task_count++]);
	}
	ARRAY_SORT(tasks->sorted, tasks->count, compare_numbers);
	return 0;
}

struct histogram_task kernel_process_of(uint32_t number)
{
	return (struct histogram_task){.pid = number & ((1u << KERNEL_ID_BITS) - 1),
				       .exec = number >> KERNEL_ID_BITS};
}

/* The index of the owner with NUMBER; one without a name when the table of names was full. */
static int find_task(struct tasks *tasks, uint32_t number, uint32_t *ret_index)
{
	const struct engine_options *options = &tasks->engine->options;
	struct histogram *histogram = tasks->histogram;
	const struct numbered *known =
		bsearch(&(struct numbered){.number = number}, tasks->sorted, tasks->count,
			sizeof(*tasks->sorted), compare_numbers);
	struct histogram_task nameless = kernel_process_of(number);

	*ret_index = known ? known->index : (uint32_t)histogram->task_count;
	if (known)
		return 0;
	if (ARRAY_RESERVE(histogram->tasks, histogram->task_capacity, *ret_index + 1))
		return -ENOMEM;
	if (options->by_cpu || options->by_cgroup)
		nameless = (struct histogram_task){0};
	else if (options->by_thread)
		nameless = (struct histogram_task){.tid = nameless.pid, .exec = nameless.exec};
	histogram->tasks[histogram->task_count++] = nameless;
	return 0;
}

static int compare_cells(const void *a, const void *b)
{
	const struct histogram_cell *x = *(struct histogram_cell *const *)a;
	const struct histogram_cell *y = *(struct histogram_cell *const *)b;

	return x->task < y->task ? -1 : x->task > y->task;
}

/* Cells come with the kernel's numbers, 0 for none; turn them into indices, one search an owner. */
static int place_cells(struct tasks *tasks, struct histogram_cell **cells, size_t count)
{
	uint32_t number = 0, index = HISTOGRAM_NO_TASK;

	ARRAY_SORT(cells, count, compare_cells);
	for (size_t i = 0; i < count; i++) {
		if (cells[i]->task != number) {
			int ret = find_task(tasks, cells[i]->task, &index);

			if (ret)
				return ret;
			number = cells[i]->task;
		}
		cells[i]->task = index;
	}
	return 0;
}

static int place_tasks(struct tasks *tasks)
{
	struct histogram *histogram = tasks->histogram;
	size_t count = 0, room = histogram->cell_count + histogram->amount_count + 1;
	struct histogram_cell **cells = calloc(room, sizeof(struct histogram_cell *));
	int ret;

	if (!cells)
		return -ENOMEM;
	for (size_t i = 0; i < histogram->cell_count; i++)
		cells[count++] = &histogram->cells[i];
	for (size_t i = 0; i < histogram->amount_count; i++)
		cells[count++] = &histogram->amounts[i].cell;
	ret = place_cells(tasks, cells, count);
	free(cells);
	return ret;
}

int kernel_read_tasks(struct engine *engine, struct histogram *histogram)
{
	struct tasks tasks = {.engine = engine, .histogram = histogram};
	int ret = kernel_map_read(engine->kernel->maps.tasks, (void **)&tasks.numbers,
				  (void **)&tasks.names, &tasks.count);

	if (ret)
		return ret;
	ret = read_groups(&tasks);
	if (!ret)
		ret = fill_tasks(&tasks);
	if (!ret)
		ret = place_tasks(&tasks);
	if (!ret)
		ret = kernel_titles_put(engine, histogram);
	for (size_t i = 0; i < tasks.groups.count; i++)
		free(tasks.groups.items[i].path);
	free(tasks.groups.items);
	free(tasks.sorted);
	free(tasks.numbers);
	free(tasks.names);
	return ret;
}

/* ---- what is idle ---- */

/* CPU is its number and 1, or 0. */
static int add_idle(struct histogram *histogram, uint32_t cpu, uint64_t ticks)
{
	struct histogram_cell cell = {
		.space = CELL_IDLE, .task = HISTOGRAM_NO_TASK, .ticks = ticks};

	if (!ticks)
		return 0;
	if (cpu) {
		if (ARRAY_RESERVE(histogram->tasks, histogram->task_capacity,
				  histogram->task_count + 1))
			return -ENOMEM;
		cell.task = (uint32_t)histogram->task_count;
		histogram->tasks[histogram->task_count++] = (struct histogram_task){.cpu = cpu};
	}
	if (ARRAY_RESERVE(histogram->cells, histogram->cell_capacity, histogram->cell_count + 1))
		return -ENOMEM;
	histogram->cells[histogram->cell_count++] = cell;
	return 0;
}

int kernel_read_idle(struct engine *engine, struct histogram *histogram)
{
	struct kernel_counters *each;
	uint64_t sum = 0;
	size_t cpus;
	int ret = kernel_counters_read(engine, &each, &cpus);

	if (ret)
		return ret;
	for (size_t i = 0; i < cpus && !ret; i++) {
		sum += each[i].idle;
		if (engine->options.by_cpu)
			ret = add_idle(histogram, (uint32_t)i + 1, each[i].idle);
	}
	if (!ret && !engine->options.by_cpu)
		ret = add_idle(histogram, 0, sum);
	free(each);
	return ret;
}
