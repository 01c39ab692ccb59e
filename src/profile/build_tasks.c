// SPDX-License-Identifier: BSD-2-Clause
/* Whose the cells are. */
#include "profile/build_private.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_tasks(const void *left, const void *right)
{
	const struct histogram_task *a = *(const struct histogram_task *const *)left;
	const struct histogram_task *b = *(const struct histogram_task *const *)right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->exec != b->exec)
		return a->exec < b->exec ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	if (a->cgroup != b->cgroup)
		return a->cgroup < b->cgroup ? -1 : 1;
	return strncmp(a->name, b->name, sizeof(a->name));
}

static int add_task(struct build *build, const struct histogram_task *task, uint32_t *ret_number)
{
	struct profile_task added = {.pid = task->pid, .tid = task->tid, .cpu = task->cpu};
	size_t length = strnlen(task->name, sizeof(task->name));

	if (strings_add(build->builder.profile->strings, task->name, length, &added.name))
		return -ENOMEM;
	if (task->title && profile_string(build->builder.profile, task->title, &added.title))
		return -ENOMEM;
	if (task->cgroup &&
	    profile_string(build->builder.profile, build->histogram->cgroups[task->cgroup - 1],
			   &added.cgroup))
		return -ENOMEM;
	return builder_task(&build->builder, &added, ret_number);
}

static void collect_task(const struct build *build, uint32_t task,
			 const struct histogram_task **used, size_t *count)
{
	if (task >= build->histogram->task_count || build->tasks[task] != NONE)
		return;
	build->tasks[task] = 0;
	used[(*count)++] = &build->histogram->tasks[task];
}

/* USED has room for all tasks: those that have cells go in, each once. */
static size_t collect_tasks(const struct build *build, const struct histogram_task **used)
{
	const struct histogram *histogram = build->histogram;
	size_t count = 0;

	for (size_t i = 0; i < histogram->cell_count; i++)
		collect_task(build, histogram->cells[i].task, used, &count);
	for (size_t i = 0; i < histogram->amount_count; i++)
		collect_task(build, histogram->amounts[i].cell.task, used, &count);
	for (size_t i = 0; i < histogram->context_count; i++)
		if (histogram->contexts[i].space == CELL_ANONYMOUS)
			collect_task(build, histogram->contexts[i].task, used, &count);
	return count;
}

static bool is_process(const struct histogram_task *task)
{
	return (!task->tid || task->tid == task->pid) && *task->name;
}

/* The images of USED, which are in order.  One is called what its process was then or, where
 * threads alone tell, in the end. */
static void number_images(struct build *build, const struct histogram_task **used, size_t count)
{
	const struct histogram_task *before = NULL, *plain = NULL;
	struct build_image *image = build->images - 1;

	for (size_t i = 0; i < count; before = used[i++]) {
		const struct histogram_task *task = used[i];
		bool goes_on = before && before->pid == task->pid;

		if (!goes_on)
			plain = NULL;
		if (!goes_on || before->exec != task->exec) {
			uint32_t exec = goes_on && before->exec ? image->exec + 1 : 0;

			*++image = (struct build_image){plain ? plain : task, exec, NONE};
		}
		if (!*image->named->name || (image->named == plain && is_process(task)))
			image->named = task;
		if (!plain && !task->exec && *task->name)
			plain = task;
		build->image_of[task - build->histogram->tasks] = (uint32_t)(image - build->images);
	}
}

int build_number_tasks(struct build *build)
{
	const struct histogram_task **used;
	size_t room = build->histogram->task_count + 1, count;
	int ret = 0;

	build->tasks = malloc(room * sizeof(*build->tasks));
	build->image_of = malloc(room * sizeof(*build->image_of));
	build->images = calloc(room + 1, sizeof(*build->images));
	used = calloc(room, sizeof(const struct histogram_task *));
	if (!build->tasks || !build->image_of || !build->images || !used) {
		free(used);
		return -ENOMEM;
	}
	memset(build->tasks, 0xff, room * sizeof(*build->tasks));
	memset(build->image_of, 0xff, room * sizeof(*build->image_of));
	count = collect_tasks(build, used);
	ARRAY_SORT(used, count, compare_tasks);
	number_images(build, used, count);
	for (size_t i = 0; !ret && i < count; i++)
		ret = add_task(build, used[i], &build->tasks[used[i] - build->histogram->tasks]);
	free(used);
	return ret;
}
