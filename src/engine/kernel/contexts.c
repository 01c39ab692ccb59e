// SPDX-License-Identifier: BSD-2-Clause
/* The tree of calling contexts, out of the kernel's table. */
#include "engine/kernel/private.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/libbpf.h>

struct numbered {
	uint64_t number;
	struct kernel_call call;
	uint32_t index; /* in the histogram and 1; 0: not there yet */
};

struct contexts {
	struct numbered *items; /* by number */
	uint32_t count;
	const uint32_t *files; /* a file's index by its number */
	const struct kernel_pythons *pythons;
	struct histogram *histogram;
};

static int compare(const void *a, const void *b)
{
	ARRAY_COMPARE(((const struct numbered *)a)->number, ((const struct numbered *)b)->number);
	return 0;
}

static struct numbered *find(const struct contexts *contexts, uint64_t number)
{
	if (!contexts || !contexts->count)
		return NULL;
	return bsearch(&(struct numbered){.number = number}, contexts->items, contexts->count,
		       sizeof(*contexts->items), compare);
}

uint32_t kernel_context_index(const struct contexts *contexts, uint64_t number)
{
	const struct numbered *found = number ? find(contexts, number) : NULL;

	return found ? found->index : 0;
}

/* The task of the process NUMBER, which has no cell perhaps. */
static int task_of(struct histogram *histogram, uint32_t number, uint32_t *ret_index)
{
	const struct histogram_task process = kernel_process_of(number);

	for (size_t i = 0; i < histogram->task_count; i++) {
		const struct histogram_task *task = &histogram->tasks[i];

		if (task->pid == process.pid && task->exec == process.exec && !task->tid &&
		    !task->cpu && !task->cgroup) {
			*ret_index = (uint32_t)i;
			return 0;
		}
	}
	if (ARRAY_RESERVE(histogram->tasks, histogram->task_capacity, histogram->task_count + 1))
		return -ENOMEM;
	*ret_index = (uint32_t)histogram->task_count;
	histogram->tasks[histogram->task_count++] = process;
	return 0;
}

static int put(struct contexts *contexts, struct numbered *item, uint32_t parent)
{
	struct histogram *histogram = contexts->histogram;
	const struct kernel_call *call = &item->call;
	struct histogram_context context = {
		.parent = parent,
		.space = kernel_space_of(call->file),
		.task = HISTOGRAM_NO_TASK,
		.address = call->address,
		.interrupted = call->flags & KERNEL_CALL_INTERRUPTED,
		.folded = call->flags & KERNEL_CALL_FOLDED,
	};

	if (context.space == CELL_FILE)
		context.file = contexts->files[call->file];
	if (context.space == CELL_ANONYMOUS)
		context.task = call->task;
	if (context.space == CELL_PYTHON) {
		context.file = kernel_python_index(contexts->pythons, call->address);
		context.address = 0;
	}
	if (ARRAY_RESERVE(histogram->contexts, histogram->context_capacity,
			  histogram->context_count + 1))
		return -ENOMEM;
	histogram->contexts[histogram->context_count++] = context;
	item->index = (uint32_t)histogram->context_count;
	return 0;
}

/* ITEM with what it was called from, outermost first.  Of one whose caller was added since the
 * table was read, no more than itself is known. */
static int put_path(struct contexts *contexts, struct numbered *item)
{
	struct numbered *path[STACK_FRAMES + 1];
	size_t length = 0;

	for (; item && !item->index && length < ARRAY_LENGTH(path);
	     item = item->call.parent ? find(contexts, item->call.parent) : NULL)
		path[length++] = item;
	while (length) {
		struct numbered *next = path[--length];
		int ret = put(contexts, next, item ? item->index : 0);

		if (ret)
			return ret;
		item = next;
	}
	return 0;
}

static int read_table(struct engine *engine, struct contexts *contexts)
{
	struct kernel_call *calls;
	uint64_t *numbers;
	uint32_t count;
	int ret = kernel_map_read(engine->kernel->maps.contexts, (void **)&numbers, (void **)&calls,
				  &count);

	if (ret)
		return ret;
	contexts->items = calloc((size_t)count + 1, sizeof(*contexts->items));
	contexts->count = contexts->items ? count : 0;
	for (uint32_t i = 0; i < contexts->count; i++)
		contexts->items[i] = (struct numbered){.number = numbers[i], .call = calls[i]};
	free(numbers);
	free(calls);
	ARRAY_SORT(contexts->items, contexts->count, compare);
	return contexts->items ? 0 : -ENOMEM;
}

int kernel_contexts_read(struct engine *engine, struct contexts **ret_contexts)
{
	struct contexts *contexts = calloc(1, sizeof(*contexts));
	int ret = contexts ? read_table(engine, contexts) : -ENOMEM;

	if (ret) {
		kernel_contexts_done(contexts);
		return ret;
	}
	*ret_contexts = contexts;
	return 0;
}

int kernel_contexts_put(struct contexts *contexts, const uint32_t *files,
			const struct kernel_pythons *pythons, struct histogram *histogram)
{
	int ret = 0;

	contexts->files = files;
	contexts->pythons = pythons;
	contexts->histogram = histogram;
	for (uint32_t i = 0; i < contexts->count && !ret; i++)
		ret = put_path(contexts, &contexts->items[i]);
	return ret;
}

int kernel_contexts_place(struct histogram *histogram)
{
	int ret = 0;

	for (size_t i = 0; i < histogram->context_count && !ret; i++) {
		struct histogram_context *context = &histogram->contexts[i];

		if (context->space == CELL_ANONYMOUS)
			ret = task_of(histogram, context->task, &context->task);
	}
	return ret;
}

void kernel_contexts_done(struct contexts *contexts)
{
	if (contexts)
		free(contexts->items);
	free(contexts);
}
