// SPDX-License-Identifier: BSD-2-Clause
#include "profile/reader.h"

#include "base/array.h"
#include "base/pprof_fields.h"
#include "base/progress.h"
#include "profile/contexts.h"

#include <errno.h>
#include <stdlib.h>

/* What a sample's labels say. */
struct labels {
	struct profile_task task;
	bool has_pid, has_cpu;
	uint64_t process, thread, cgroup, title; /* texts */
	enum stack_end stack_end;		 /* STACK_NONE: they do not say */
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

/* The call in the stack at place LABEL is no plain one: place and MARK. */
static int mark_call(struct reader *reader, const uint64_t *label, const char *key, uint64_t mark)
{
	struct reader_numbers *marks = &reader->marks;
	uint32_t place;

	if (!number_label(reader, label, key, &place))
		return 0;
	if (ARRAY_RESERVE(marks->items, marks->capacity, marks->count + 1))
		return -ENOMEM;
	marks->items[marks->count++] = mark | place;
	return 0;
}

static enum stack_end find_stack_end(const struct reader *reader, uint64_t text)
{
	for (int end = STACK_NONE + 1; end < STACK_ENDS; end++)
		if (reader_text_is(reader, text, stack_end_name((enum stack_end)end)))
			return (enum stack_end)end;
	return STACK_NONE;
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
	if (reader_text_is(reader, label[PPROF_LABEL_KEY], "title"))
		labels->title = label[PPROF_LABEL_STR];
	if (number_label(reader, label, "cpu", &cpu) && cpu < UINT32_MAX) {
		labels->has_cpu = true;
		labels->task.cpu = cpu + 1;
	}
	if (reader_text_is(reader, label[PPROF_LABEL_KEY], "stack"))
		labels->stack_end = find_stack_end(reader, label[PPROF_LABEL_STR]);
	if (mark_call(reader, label, "interrupted", READER_INTERRUPTED) ||
	    mark_call(reader, label, "folded", READER_FOLDED))
		return -ENOMEM;
	return 0;
}

/* The number of TASK in the profile, which it is added to when it is new. */
static int number_task(struct reader *reader, const struct profile_task *task, uint32_t *ret_index)
{
	const struct key key = {{(uint64_t)task->pid << 32 | task->tid,
				 (uint64_t)task->name << 32 | task->cpu,
				 (uint64_t)task->title << 32 | task->cgroup}};
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
	ret = ret ? ret : reader_text(reader, labels->title, &task->title);
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

static int find_placeless(struct reader *reader, uint32_t *ret_location)
{
	struct profile_location nothing = {.kind = LOCATION_ADDRESS};
	int ret = 0;

	if (reader->placeless == READER_NONE) {
		ret = reader_nowhere(reader, &nothing.mapping);
		ret = ret ? ret
			  : profile_add_location(reader->profile, &nothing, &reader->placeless);
	}
	*ret_location = reader->placeless;
	return ret;
}

/* Ids become frames. */
static int find_frames(struct reader *reader)
{
	struct reader_numbers *stack = &reader->stack;
	const struct reader_numbers *marks = &reader->marks;

	for (size_t i = 0; i < stack->count; i++) {
		uint32_t location;

		if (ids_find(&reader->locations, stack->items[i], &location))
			return reader_bad(reader, "a location that is not there");
		stack->items[i] = location;
	}
	for (size_t i = 0; i < marks->count; i++) {
		uint32_t place = (uint32_t)marks->items[i];

		if (place < stack->count)
			stack->items[place] |=
				marks->items[i] & (READER_INTERRUPTED | READER_FOLDED);
	}
	return 0;
}

/* FRAME calls what the newest of the path called. */
static int add_to_path(struct reader *reader, uint64_t frame)
{
	const struct profile_context context = {
		.parent = reader->path_count ? reader->path[reader->path_count - 1].context : 0,
		.location = (uint32_t)frame,
		.interrupted = frame & READER_INTERRUPTED,
		.folded = frame & READER_FOLDED,
	};
	struct reader_call *call;

	if (ARRAY_RESERVE(reader->path, reader->path_capacity, reader->path_count + 1))
		return -ENOMEM;
	call = &reader->path[reader->path_count++];
	call->frame = frame;
	return contexts_add(&reader->contexts, reader->profile, &context, &call->context);
}

/* The callers of the sample at hand, as frames; there are some. */
static int find_context(struct reader *reader, uint32_t *ret_context)
{
	size_t callers = reader->stack.count - 1;

	for (size_t i = 0; i < callers; i++) {
		uint64_t frame = reader->stack.items[callers - i];

		if (i < reader->path_count && reader->path[i].frame == frame)
			continue;
		reader->path_count = i;
		if (add_to_path(reader, frame))
			return -ENOMEM;
	}
	*ret_context = reader->path[callers - 1].context;
	return 0;
}

/* Where a sample's time went, its innermost frame, and who called that. */
static int find_place(struct reader *reader, const struct labels *labels, struct profile_cell *cell)
{
	int ret = find_frames(reader);

	cell->stack_end = labels->stack_end;
	if (ret)
		return ret;
	if (!reader->stack.count)
		return find_placeless(reader, &cell->location);
	cell->location = (uint32_t)reader->stack.items[0];
	if (reader->stack.count == 1)
		return 0;
	if (cell->stack_end == STACK_NONE)
		cell->stack_end = STACK_WHOLE;
	return find_context(reader, &cell->context);
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

/* What else the sample counts where CELL is. */
static int add_amounts(struct reader *reader, const struct profile_cell *cell)
{
	struct profile_cell amount = *cell;
	int ret = 0;

	if (!reader->profile->value_count)
		return 0;
	for (size_t i = 0; !ret && i < reader->type_count; i++) {
		if (!reader_is_other(reader, i))
			continue;
		amount.value++;
		amount.ticks = reader->values.items[i];
		if (amount.ticks)
			ret = profile_add_cell(reader->profile, &amount);
	}
	return ret;
}

static int add_sample(struct reader *reader, struct labels *labels)
{
	const size_t *amounts = &reader->profile->amount_count, before = *amounts;
	struct profile_cell cell = {0};
	int ret = find_ticks(reader, &cell.ticks);

	if (!ret && is_call(reader))
		return add_call(reader);
	ret = ret ? ret : find_place(reader, labels, &cell);
	ret = ret ? ret : find_task(reader, labels, &cell.task);
	ret = ret ? ret : add_amounts(reader, &cell);
	/* With amounts alone there are no samples. */
	return ret || (!cell.ticks && *amounts > before) ? ret
							 : profile_add_cell(reader->profile, &cell);
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

	reader->stack.count = reader->values.count = reader->marks.count = 0;
	if (!ret)
		progress_at((uint64_t)(cursor.next - reader->bytes) / 1000, reader->size / 1000);
	while (!ret && (more = proto_next(&cursor, &part)) > 0)
		ret = take_part(reader, &part, &labels);
	if (!ret && more)
		return reader_bad(reader, "a damaged sample");
	return ret ? ret : add_sample(reader, &labels);
}

int reader_samples(struct reader *reader)
{
	int ret;

	progress_begin("reading", "kB");
	ret = reader_walk(reader, PPROF_SAMPLE, take_sample);
	progress_end();
	keyset_done(&reader->tasks);
	trie_done(&reader->contexts);
	free(reader->stack.items);
	free(reader->values.items);
	free(reader->marks.items);
	free(reader->path);
	return ret;
}
