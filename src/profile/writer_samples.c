// SPDX-License-Identifier: BSD-2-Clause
#include "profile/writer.h"

#include "base/array.h"
#include "base/pprof_fields.h"

#include <errno.h>
#include <string.h>

#define LABELS_MAX 7 /* but for those of calls */
#define LABEL_BYTES (PPROF_LABEL_FIELDS * PROTO_NUMBER_MAX)

static void put_label(struct writer *writer, uint64_t key, uint64_t text, uint32_t number)
{
	struct proto label = PROTO(LABEL_BYTES);

	proto_number(&label, PPROF_LABEL_KEY, key);
	proto_number(&label, PPROF_LABEL_STR, text);
	proto_number(&label, PPROF_LABEL_NUM, number);
	proto_message(&writer->message, PPROF_SAMPLE_LABEL, &label);
}

static int add_label(struct writer *writer, const char *key, uint32_t name, uint32_t number)
{
	uint64_t key_text, text;

	if (writer_own_text(writer, key, &key_text) || writer_text(writer, name, &text))
		return -ENOMEM;
	put_label(writer, key_text, text, number);
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
	if (!ret && task->title)
		ret = add_label(writer, "title", task->title, 0);
	return ret;
}

static int add_task(struct writer *writer, uint32_t index)
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

/* What is to be said of a call stack: a stack of callers is whole, and one of none was not asked
 * for, unless it is. */
static int add_stack_end(struct writer *writer, const struct profile_cell *cell)
{
	const char *name = stack_end_name(cell->stack_end);
	uint64_t key, text;

	if (cell->stack_end == (cell->context ? STACK_WHOLE : STACK_NONE))
		return 0;
	if (writer_own_text(writer, "stack", &key) || writer_own_text(writer, name, &text))
		return -ENOMEM;
	put_label(writer, key, text, 0);
	return 0;
}

/* A call that is no plain one, by its place in the stack. */
static int add_calls(struct writer *writer, const struct profile_cell *cell)
{
	const struct profile_context *contexts = writer->profile->contexts;
	uint32_t place = 0;
	int ret = 0;

	for (uint32_t i = cell->context; !ret && i; i = contexts[i - 1].parent) {
		place++;
		if (contexts[i - 1].interrupted)
			ret = add_label(writer, "interrupted", 0, place);
		if (!ret && contexts[i - 1].folded)
			ret = add_label(writer, "folded", 0, place);
	}
	return ret;
}

/* TICKS x PERIOD, held at the largest number there is. */
static uint64_t times(uint64_t ticks, uint64_t period)
{
	int64_t product;

	return __builtin_mul_overflow(ticks, period, &product) ? INT64_MAX : (uint64_t)product;
}

size_t writer_values(const struct writer *writer)
{
	return (writer->profile->call_count ? WRITER_VALUES : WRITER_VALUES - 1) +
	       writer->profile->value_count;
}

/* Begin a sample: DEPTH places, the innermost first, and .values; and there will be LABELS. */
static int begin_sample(struct writer *writer, const uint64_t *stack, size_t depth, size_t labels)
{
	size_t count = writer_values(writer);

	if (writer_begin(writer,
			 (4 + depth + count) * PROTO_NUMBER_MAX + labels * (LABEL_BYTES + 2)))
		return -ENOMEM;
	proto_numbers(&writer->message, PPROF_SAMPLE_LOCATION_ID, stack, depth);
	proto_numbers(&writer->message, PPROF_SAMPLE_VALUE, writer->values, count);
	return 0;
}

/* The stack of CELL into .stack: how deep it is, and how many labels its calls have. */
static int find_stack(struct writer *writer, const struct profile_cell *cell, size_t *ret_depth,
		      size_t *ret_labels)
{
	const struct profile *profile = writer->profile;
	size_t depth = 0, labels = 0;
	uint32_t location = cell->location, next = cell->context;

	for (;;) {
		const struct profile_context *context;

		if (ARRAY_RESERVE(writer->stack, writer->stack_capacity, depth + 1))
			return -ENOMEM;
		writer->stack[depth++] = (uint64_t)location + 1;
		if (!next)
			break;
		context = &profile->contexts[next - 1];
		labels += context->interrupted + context->folded;
		location = context->location;
		next = context->parent;
	}
	*ret_depth = depth;
	*ret_labels = labels;
	return 0;
}

/* TICKS at the place of CELL, and what else was counted there. */
static int put_sample(struct writer *writer, const struct profile_cell *cell, uint64_t ticks)
{
	size_t depth, labels;
	int ret;

	if (ticks > INT64_MAX)
		return -EOVERFLOW;
	writer->values[WRITER_TICKS] = ticks;
	writer->values[WRITER_CPU] = times(ticks, facts_period(&writer->profile->facts));
	ret = writer_take_amounts(writer, cell);
	ret = ret ? ret : find_stack(writer, cell, &depth, &labels);
	ret = ret ? ret : begin_sample(writer, writer->stack, depth, LABELS_MAX + labels);
	ret = ret ? ret : add_task(writer, cell->task);
	ret = ret ? ret : add_stack_end(writer, cell);
	ret = ret ? ret : add_calls(writer, cell);
	return ret ? ret : writer_message(writer, PPROF_SAMPLE);
}

/* A stack of the function and its caller, without a tick: so pprof's views of ticks do not see it,
 * and that of calls (-sample_index=calls) has the callers. */
static int put_call(struct writer *writer, const struct profile_call *call)
{
	const uint64_t stack[] = {(uint64_t)call->callee + 1, (uint64_t)call->caller + 1};
	int ret;

	if (call->count > INT64_MAX)
		return -EOVERFLOW;
	memset(writer->values, 0, writer_values(writer) * sizeof(*writer->values));
	writer->values[WRITER_CALLS] = call->count;
	ret = begin_sample(writer, stack, call->caller == PROFILE_NO_CALLER ? 1 : 2,
			   /* labels= */ 0);
	return ret ? ret : writer_message(writer, PPROF_SAMPLE);
}

int writer_samples(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	const struct writer_amounts *amounts = &writer->amounts;
	int ret = 0;

	for (size_t i = 0; !ret && i < profile->cell_count; i++)
		ret = put_sample(writer, &profile->cells[i], profile->cells[i].ticks);
	for (size_t i = 0; !ret && i < amounts->without_count; i++)
		ret = put_sample(writer, &profile->amounts[amounts->without[i]], /* ticks= */ 0);
	for (size_t i = 0; !ret && i < profile->call_count; i++)
		ret = put_call(writer, &profile->calls[i]);
	return ret;
}
