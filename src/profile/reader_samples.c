// SPDX-License-Identifier: BSD-2-Clause
#include "profile/reader.h"

#include "base/array.h"
#include "base/pprof_fields.h"

#include <errno.h>
#include <stdlib.h>

/* What a sample's labels say. */
struct labels {
	struct profile_task task;
	bool has_pid, has_cpu;
	uint64_t process, thread, cgroup; /* texts */
};

static bool number_label(const struct reader *reader, const uint64_t *label, const char *key,
			 uint32_t *ret_number)
{
	if (!reader_text_is(reader, label[PPROF_LABEL_KEY], key) || label[PPROF_LABEL_STR])
		return false;
	if (label[PPROF_LABEL_NUM] > UINT32_MAX)
		return false;
	*ret_number = (uint32_t)label[PPROF_LABEL_NUM];
	return true;
}

static int take_label(struct reader *reader, const struct proto_field *field, struct labels *labels)
{
	uint64_t label[PPROF_LABEL_FIELDS];
	uint32_t cpu;

	if (proto_read_numbers(field, label, PPROF_LABEL_FIELDS))
		return reader_bad(reader, "a damaged sample");
	labels->has_pid |= number_label(reader, label, "pid", &labels->task.pid);
	(void)number_label(reader, label, "tid", &labels->task.tid);
	if (reader_text_is(reader, label[PPROF_LABEL_KEY], "process"))
		labels->process = label[PPROF_LABEL_STR];
	if (reader_text_is(reader, label[PPROF_LABEL_KEY], "thread"))
		labels->thread = label[PPROF_LABEL_STR];
	if (reader_text_is(reader, label[PPROF_LABEL_KEY], "cgroup"))
		labels->cgroup = label[PPROF_LABEL_STR];
	if (number_label(reader, label, "cpu", &cpu) && cpu < UINT32_MAX) {
		labels->has_cpu = true;
		labels->task.cpu = cpu + 1;
	}
	return 0;
}

/* The number of TASK in the profile, which it is added to when it is new. */
static int number_task(struct reader *reader, const struct profile_task *task, uint32_t *ret_index)
{
	const struct key key = {{(uint64_t)task->pid << 32 | task->tid,
				 (uint64_t)task->name << 32 | task->cpu, task->cgroup}};
	int ret = keyset_add(&reader->tasks, &key, ret_index);

	return ret > 0 ? profile_add_task(reader->profile, task, ret_index) : ret;
}

static int find_task(struct reader *reader, struct labels *labels, uint32_t *ret_task)
{
	struct profile_task *task = &labels->task;
	uint64_t name = task->tid && labels->thread ? labels->thread : labels->process;
	int ret;

	*ret_task = PROFILE_NO_TASK;
	if (!labels->has_pid && !labels->has_cpu && !labels->cgroup)
		return 0;
	ret = reader_text(reader, name, &task->name);
	ret = ret ? ret : reader_text(reader, labels->cgroup, &task->cgroup);
	return ret ? ret : number_task(reader, task, ret_task);
}

static int find_ticks(struct reader *reader, uint64_t *ret_ticks)
{
	const struct reader_numbers *values = &reader->values;

	if (values->count != reader->type_count)
		return reader_bad(reader, "a sample with a value too many or too few");
	for (size_t i = 0; i < values->count; i++)
		if (values->items[i] > INT64_MAX)
			return reader_bad(reader, "a negative value");
	*ret_ticks = values->items[reader->value] / reader->divisor;
	return 0;
}

/* Where a sample's time went: its innermost frame.  The others must be there, but are not kept. */
static int find_location(struct reader *reader, uint32_t *ret_location)
{
	struct profile_location nothing = {.kind = LOCATION_ADDRESS};
	int ret;

	for (size_t i = reader->stack.count; i-- > 0;)
		if (ids_find(&reader->locations, reader->stack.items[i], ret_location))
			return reader_bad(reader, "a location that is not there");
	if (reader->stack.count)
		return 0;
	if (reader->placeless == READER_NONE) {
		ret = reader_nowhere(reader, &nothing.mapping);
		ret = ret ? ret
			  : profile_add_location(reader->profile, &nothing, &reader->placeless);
		if (ret)
			return ret;
	}
	*ret_location = reader->placeless;
	return 0;
}

/* A stack of two that has calls and no ticks; of one where the caller is not known. */
static bool is_call(const struct reader *reader)
{
	const struct reader_numbers *values = &reader->values;

	return reader->calls < values->count && values->items[reader->calls] &&
	       !values->items[reader->value] &&
	       (reader->stack.count == 1 || reader->stack.count == 2);
}

static int add_call(struct reader *reader)
{
	const uint64_t *stack = reader->stack.items;
	struct profile_call call = {
		.caller = PROFILE_NO_CALLER,
		.count = reader->values.items[reader->calls],
	};

	if (ids_find(&reader->locations, stack[0], &call.callee) ||
	    (reader->stack.count > 1 && ids_find(&reader->locations, stack[1], &call.caller)))
		return reader_bad(reader, "a location that is not there");
	return profile_add_call(reader->profile, &call);
}

static int add_sample(struct reader *reader, struct labels *labels)
{
	struct profile_cell cell = {0};
	int ret = find_ticks(reader, &cell.ticks);

	if (!ret && is_call(reader))
		return add_call(reader);
	ret = ret ? ret : find_location(reader, &cell.location);
	ret = ret ? ret : find_task(reader, labels, &cell.task);
	return ret ? ret : profile_add_cell(reader->profile, &cell);
}

/* One number, or many packed; a field may come again. */
static int take_numbers(struct reader *reader, const struct proto_field *field,
			struct reader_numbers *numbers)
{
	struct proto_cursor cursor;

	if (proto_unpack(field, &cursor))
		return reader_bad(reader, "a damaged sample");
	while (cursor.next < cursor.end) {
		if (ARRAY_RESERVE(numbers->items, numbers->capacity, numbers->count + 1))
			return -ENOMEM;
		if (proto_varint(&cursor, &numbers->items[numbers->count++]))
			return reader_bad(reader, "a damaged sample");
	}
	return 0;
}

static int take_part(struct reader *reader, const struct proto_field *field, struct labels *labels)
{
	switch (field->number) {
	case PPROF_SAMPLE_LOCATION_ID:
		return take_numbers(reader, field, &reader->stack);
	case PPROF_SAMPLE_VALUE:
		return take_numbers(reader, field, &reader->values);
	case PPROF_SAMPLE_LABEL:
		return take_label(reader, field, labels);
	default:
		return 0;
	}
}

static int take_sample(struct reader *reader, const struct proto_field *field)
{
	struct labels labels = {.has_pid = false};
	struct proto_cursor cursor;
	struct proto_field part;
	int ret = proto_enter(field, &cursor), more = 0;

	reader->stack.count = reader->values.count = 0;
	while (!ret && (more = proto_next(&cursor, &part)) > 0)
		ret = take_part(reader, &part, &labels);
	if (!ret && more)
		return reader_bad(reader, "a damaged sample");
	return ret ? ret : add_sample(reader, &labels);
}

int reader_samples(struct reader *reader)
{
	int ret = reader_walk(reader, PPROF_SAMPLE, take_sample);

	keyset_done(&reader->tasks);
	free(reader->stack.items);
	free(reader->values.items);
	return ret;
}
