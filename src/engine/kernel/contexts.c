// SPDX-License-Identifier: BSD-2-Clause
/* The tree of calling contexts, out of the kernel's table. */
#include "engine/kernel/private.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/slots.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <bpf/libbpf.h>

struct item {
	struct kernel_call call;
	uint32_t index; /* in the histogram and 1; 0: not there yet */
	bool is_cut; /* by what was found out since, it or a caller of it has none that is sure */
};

struct contexts {
	struct engine *engine;
	struct item *items; /* as in the table: parents first */
	struct slots first; /* of those with a number, the first */
	uint32_t count;
	const uint32_t *files; /* a file's index by its number */
	const struct kernel_pythons *pythons;
	struct histogram *histogram;
};

static bool has_number(const void *set, uint32_t item, const void *number)
{
	const struct contexts *contexts = set;

	return contexts->items[item].call.number == *(const uint64_t *)number;
}

/* Where the first item with NUMBER is, and 1. */
static uint32_t *find(struct contexts *contexts, uint64_t number)
{
	return slots_find(&contexts->first, has_number, contexts, &number,
			  hash_bytes(&number, sizeof(number)));
}

/* Whether the walk past CALL took its caller rightly. */
static bool is_sure(const struct contexts *contexts, const struct kernel_call *call)
{
	bool is_exact = call->flags & KERNEL_CALL_INTERRUPTED;

	return kernel_space_of(call->file) != CELL_FILE ||
	       unwinding_is_sure(contexts->engine->unwinding, call->file, call->address - !is_exact,
				 is_exact);
}

void kernel_context_put(struct contexts *contexts, uint64_t number, struct histogram_cell *cell)
{
	uint32_t found = contexts && number ? *find(contexts, number) : 0;

	cell->context = found ? contexts->items[found - 1].index : 0;
	if (found && contexts->items[found - 1].is_cut)
		cell->stack_end = STACK_NO_RULE;
}

bool kernel_cell_is_sure(const struct contexts *contexts, const struct kernel_cell_key *place)
{
	const struct kernel_call call = {
		.address = place->address,
		.file = place->file,
		.flags = KERNEL_CALL_INTERRUPTED,
	};

	return !contexts || is_sure(contexts, &call);
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

static int put(struct contexts *contexts, struct item *item)
{
	struct histogram *histogram = contexts->histogram;
	const struct kernel_call *call = &item->call;
	struct histogram_context context = {
		.parent = call->parent ? contexts->items[call->parent - 1].index : 0,
		.space = kernel_space_of(call->file),
		.task = HISTOGRAM_NO_TASK,
		.address = call->address,
		.interrupted = call->flags & KERNEL_CALL_INTERRUPTED,
		.folded = call->flags & KERNEL_CALL_FOLDED,
	};

	item->is_cut = call->parent && contexts->items[call->parent - 1].is_cut;
	if (context.parent && !is_sure(contexts, call)) {
		item->is_cut = true;
		context.parent = 0;
	}
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

/* What is in the table by now; of one that is just being added nothing is known. */
static int read_table(struct engine *engine, struct contexts *contexts)
{
	const struct bpf_map *map = engine->kernel->maps.contexts;
	uint32_t count = engine->kernel->bss->context_count;
	struct kernel_call *calls;
	size_t size;

	if (count > bpf_map__max_entries(map))
		count = bpf_map__max_entries(map);
	contexts->items = calloc((size_t)count + 1, sizeof(*contexts->items));
	if (!contexts->items || slots_grow(&contexts->first, count))
		return -ENOMEM;
	if (!count)
		return 0;
	size = count * sizeof(*calls);
	calls = mmap(NULL, size, PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (calls == MAP_FAILED)
		return -errno;
	for (uint32_t i = 0; i < count; i++)
		contexts->items[i].call = calls[i];
	munmap(calls, size);
	contexts->count = count;
	return 0;
}

/* Before the object is loaded. */
int kernel_contexts_configure(const struct engine *engine)
{
	const struct kernel *kernel = engine->kernel;
	uint32_t limit =
		engine->options.max_contexts ? engine->options.max_contexts : STACK_CONTEXTS;
	uint32_t slots = STACK_SLOTS;
	int ret = bpf_map__set_max_entries(kernel->maps.contexts, limit);

	while (slots < 2 * limit)
		slots *= 2;
	kernel->rodata->context_limit = limit;
	kernel->rodata->context_mask = slots - 1;
	return ret ? ret
		   : bpf_map__set_max_entries(kernel->maps.context_slots, slots / STACK_SLOTS);
}

int kernel_contexts_read(struct engine *engine, struct contexts **ret_contexts)
{
	struct contexts *contexts = calloc(1, sizeof(*contexts));
	int ret = contexts ? read_table(engine, contexts) : -ENOMEM;

	if (ret) {
		kernel_contexts_done(contexts);
		return ret;
	}
	contexts->engine = engine;
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
	for (uint32_t i = 0; i < contexts->count && !ret; i++) {
		struct item *item = &contexts->items[i];
		uint32_t *first = find(contexts, item->call.number);

		if (*first) {
			item->index = contexts->items[*first - 1].index;
			item->is_cut = contexts->items[*first - 1].is_cut;
		} else if (item->call.number) {
			*first = i + 1;
			ret = put(contexts, item);
		}
	}
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
	if (contexts) {
		slots_done(&contexts->first);
		free(contexts->items);
	}
	free(contexts);
}
