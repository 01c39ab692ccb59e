// SPDX-License-Identifier: BSD-2-Clause
#include "profile/writer.h"

#include "base/array.h"
#include "profile/profile.pb-c.h"

#include <errno.h>

#define LABELS_MAX 5

struct labels {
	Pprof__Label items[LABELS_MAX];
	Pprof__Label *pointers[LABELS_MAX];
	size_t count;
};

static int add_label(struct writer *writer, struct labels *labels, const char *key, uint32_t name,
		     uint32_t number)
{
	Pprof__Label *label = &labels->items[labels->count];

	pprof__label__init(label);
	if (writer_own_text(writer, key, &label->key) || writer_text(writer, name, &label->str))
		return -ENOMEM;
	label->num = number;
	labels->pointers[labels->count++] = label;
	return 0;
}

/* A thread's name is its own; its process is known by number only. */
static int add_process(struct writer *writer, const struct profile_task *task,
		       struct labels *labels)
{
	int ret = add_label(writer, labels, "pid", 0, task->pid);
	if (!ret && task->tid)
		ret = add_label(writer, labels, "tid", 0, task->tid);
	if (!ret && task->name)
		ret = add_label(writer, labels, task->tid ? "thread" : "process", task->name, 0);
	return ret;
}

static int add_labels(struct writer *writer, uint32_t index, struct labels *labels)
{
	const struct profile_task *task;
	int ret = 0;

	if (index == PROFILE_NO_TASK)
		return 0;
	task = &writer->profile->tasks[index];
	if (task->pid || task->tid || !(task->cpu || task->cgroup))
		ret = add_process(writer, task, labels);
	if (!ret && task->cpu)
		ret = add_label(writer, labels, "cpu", 0, task->cpu - 1);
	if (!ret && task->cgroup)
		ret = add_label(writer, labels, "cgroup", task->cgroup, 0);
	return ret;
}

/* TICKS x PERIOD, held at the largest number there is. */
static int64_t nanoseconds(uint64_t ticks, uint64_t period)
{
	int64_t product;

	return __builtin_mul_overflow(ticks, period, &product) ? INT64_MAX : product;
}

size_t writer_values(const struct writer *writer)
{
	return writer->profile->call_count ? WRITER_VALUES : WRITER_VALUES - 1;
}

static int put_sample(struct writer *writer, const struct profile_cell *cell)
{
	Pprof__Sample sample = PPROF__SAMPLE__INIT;
	uint64_t location = (uint64_t)cell->location + 1;
	int64_t values[WRITER_VALUES] = {
		(int64_t)cell->ticks,
		nanoseconds(cell->ticks, writer->profile->facts.period_ns),
	};
	struct labels labels = {.count = 0};
	int ret;

	if (cell->ticks > INT64_MAX)
		return -EOVERFLOW;
	ret = add_labels(writer, cell->task, &labels);
	if (ret)
		return ret;
	sample.n_location_id = 1;
	sample.location_id = &location;
	sample.n_value = writer_values(writer);
	sample.value = values;
	sample.n_label = labels.count;
	sample.label = labels.pointers;
	return writer_message(writer, 2, &sample.base);
}

/* A stack of the function and its caller, without a tick: so pprof's views of ticks do not see it,
 * and that of calls (-sample_index=calls) has the callers. */
static int put_call(struct writer *writer, const struct profile_call *call)
{
	Pprof__Sample sample = PPROF__SAMPLE__INIT;
	uint64_t stack[] = {(uint64_t)call->callee + 1, (uint64_t)call->caller + 1};
	int64_t values[WRITER_VALUES] = {[WRITER_VALUES - 1] = (int64_t)call->count};

	if (call->count > INT64_MAX)
		return -EOVERFLOW;
	sample.n_location_id = call->caller == PROFILE_NO_CALLER ? 1 : ARRAY_LENGTH(stack);
	sample.location_id = stack;
	sample.n_value = ARRAY_LENGTH(values);
	sample.value = values;
	return writer_message(writer, 2, &sample.base);
}

int writer_samples(struct writer *writer)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < writer->profile->cell_count; i++)
		ret = put_sample(writer, &writer->profile->cells[i]);
	for (size_t i = 0; !ret && i < writer->profile->call_count; i++)
		ret = put_call(writer, &writer->profile->calls[i]);
	return ret;
}
