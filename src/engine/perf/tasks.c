// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/tasks.h"

#include "base/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t number_of(const struct histogram_task *task)
{
	return perf_task_number(task->tid ? task->tid : task->pid, task->exec);
}

/* Where the task with NUMBER is, or would be. */
static size_t place_of(const struct perf_tasks *tasks, uint32_t number)
{
	return ARRAY_FIRST_NOT(i, tasks->count, number_of(&tasks->tasks[i]) < number);
}

struct histogram_task *perf_tasks_find(const struct perf_tasks *tasks, uint32_t number)
{
	size_t at = place_of(tasks, number);

	if (at < tasks->count && number_of(&tasks->tasks[at]) == number)
		return &tasks->tasks[at];
	return NULL;
}

static struct histogram_task *add(struct perf_tasks *tasks, uint32_t number)
{
	size_t at = place_of(tasks, number);

	if (ARRAY_RESERVE(tasks->tasks, tasks->capacity, tasks->count + 1))
		return NULL;
	memmove(&tasks->tasks[at + 1], &tasks->tasks[at],
		(tasks->count - at) * sizeof(*tasks->tasks));
	tasks->count++;
	return &tasks->tasks[at];
}

static void call(struct histogram_task *task, const char *name)
{
	if (task)
		(void)snprintf(task->name, sizeof(task->name), "%s", name);
}

void perf_tasks_name(struct perf_tasks *tasks, const struct histogram_task *task, const char *name)
{
	struct histogram_task *known = perf_tasks_find(tasks, number_of(task));

	if (!known)
		known = add(tasks, number_of(task));
	if (known)
		*known = *task;
	call(known, name);
}

void perf_tasks_rename(struct perf_tasks *tasks, uint32_t number, const char *name)
{
	call(perf_tasks_find(tasks, number), name);
}

/* Turn the number TASK into an index. */
static int place(const struct perf_tasks *tasks, struct histogram *histogram, size_t base,
		 uint32_t *task)
{
	const struct histogram_task *found;

	if (*task == HISTOGRAM_NO_TASK)
		return 0;
	found = perf_tasks_find(tasks, *task);
	if (found) {
		*task = (uint32_t)(base + (size_t)(found - tasks->tasks));
		return 0;
	}
	if (ARRAY_RESERVE(histogram->tasks, histogram->task_capacity, histogram->task_count + 1))
		return -ENOMEM;
	histogram->tasks[histogram->task_count] = (struct histogram_task){
		.pid = *task & ((1u << PERF_ID_BITS) - 1), .exec = *task >> PERF_ID_BITS};
	*task = (uint32_t)histogram->task_count++;
	return 0;
}

int perf_tasks_read(const struct perf_tasks *tasks, struct histogram *histogram)
{
	size_t base = histogram->task_count;
	int ret = ARRAY_RESERVE(histogram->tasks, histogram->task_capacity, base + tasks->count);

	if (ret)
		return -ENOMEM;
	if (tasks->count)
		memcpy(histogram->tasks + base, tasks->tasks, tasks->count * sizeof(*tasks->tasks));
	histogram->task_count += tasks->count;
	for (size_t i = 0; i < histogram->context_count && !ret; i++)
		ret = place(tasks, histogram, base, &histogram->contexts[i].task);
	for (size_t i = 0; i < histogram->cell_count && !ret; i++)
		ret = place(tasks, histogram, base, &histogram->cells[i].task);
	return ret;
}

void perf_tasks_done(struct perf_tasks *tasks)
{
	free(tasks->tasks);
	*tasks = (struct perf_tasks){0};
}
