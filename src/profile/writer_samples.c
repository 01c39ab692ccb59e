// SPDX-License-Identifier: BSD-2-Clause
#include "profile/writer.h"

#include "base/pprof_fields.h"

#include <errno.h>

#define LABELS_MAX 5
#define LABEL_BYTES (PPROF_LABEL_FIELDS * PROTO_NUMBER_MAX)

static int add_label(struct writer *writer, const char *key, uint32_t name, uint32_t number)
{
	struct proto label = PROTO(LABEL_BYTES);
	uint64_t key_text, text;

	if (writer_own_text(writer, key, &key_text) || writer_text(writer, name, &text))
		return -ENOMEM;
	proto_number(&label, PPROF_LABEL_KEY, key_text);
	proto_number(&label, PPROF_LABEL_STR, text);
	proto_number(&label, PPROF_LABEL_NUM, number);
	proto_message(&writer->message, PPROF_SAMPLE_LABEL, &label);
	return 0;
}

/* A thread's name is its own; its process is known by number only. */
static int add_process(struct writer *writer, const struct profile_task *task)
{
	int ret = add_label(writer, "pid", 0, task->pid);
	if (!ret && task->tid)
		ret = add_label(writer, "tid", 0, task->tid);
	if (!ret && task->name)
		ret = add_label(writer, task->tid ? "thread" : "process", task->name, 0);
	return ret;
}

static int add_labels(struct writer *writer, uint32_t index)
{
	const struct profile_task *task;
	int ret = 0;

	if (index == PROFILE_NO_TASK)
		return 0;
	task = &writer->profile->tasks[index];
	if (task->pid || task->tid || !(task->cpu || task->cgroup))
		ret = add_process(writer, task);
	if (!ret && task->cpu)
		ret = add_label(writer, "cpu", 0, task->cpu - 1);
	if (!ret && task->cgroup)
		ret = add_label(writer, "cgroup", task->cgroup, 0);
	return ret;
}

/* TICKS x PERIOD, held at the largest number there is. */
static uint64_t nanoseconds(uint64_t ticks, uint64_t period)
{
	int64_t product;

	return __builtin_mul_overflow(ticks, period, &product) ? INT64_MAX : (uint64_t)product;
}

size_t writer_values(const struct writer *writer)
{
	return writer->profile->call_count ? WRITER_VALUES : WRITER_VALUES - 1;
}

/* Begin a sample: DEPTH places, the innermost first, and what was counted there. */
static int begin_sample(struct writer *writer, const uint64_t *stack, size_t depth,
			const uint64_t *values)
{
	size_t count = writer_values(writer);

	if (writer_begin(writer,
			 (4 + depth + count) * PROTO_NUMBER_MAX + LABELS_MAX * (LABEL_BYTES + 2)))
		return -ENOMEM;
	proto_numbers(&writer->message, PPROF_SAMPLE_LOCATION_ID, stack, depth);
	proto_numbers(&writer->message, PPROF_SAMPLE_VALUE, values, count);
	return 0;
}

static int put_sample(struct writer *writer, const struct profile_cell *cell)
{
	uint64_t location = (uint64_t)cell->location + 1;
	const uint64_t values[WRITER_VALUES] = {
		[WRITER_TICKS] = cell->ticks,
		[WRITER_CPU] = nanoseconds(cell->ticks, writer->profile->facts.period_ns),
	};
	int ret;

	if (cell->ticks > INT64_MAX)
		return -EOVERFLOW;
	ret = begin_sample(writer, &location, 1, values);
	ret = ret ? ret : add_labels(writer, cell->task);
	return ret ? ret : writer_message(writer, PPROF_SAMPLE);
}

/* A stack of the function and its caller, without a tick: so pprof's views of ticks do not see it,
 * and that of calls (-sample_index=calls) has the callers. */
static int put_call(struct writer *writer, const struct profile_call *call)
{
	const uint64_t stack[] = {(uint64_t)call->callee + 1, (uint64_t)call->caller + 1};
	const uint64_t values[WRITER_VALUES] = {[WRITER_CALLS] = call->count};
	int ret;

	if (call->count > INT64_MAX)
		return -EOVERFLOW;
	ret = begin_sample(writer, stack, call->caller == PROFILE_NO_CALLER ? 1 : 2, values);
	return ret ? ret : writer_message(writer, PPROF_SAMPLE);
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
