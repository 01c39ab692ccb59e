// SPDX-License-Identifier: BSD-2-Clause
#include "profile/reader.h"

#include "profile/profile.pb-c.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool number_label(const struct reader *reader, const Pprof__Label *label, const char *key,
			 uint32_t *ret_number)
{
	if (!reader_text_is(reader, label->key, key) || label->str)
		return false;
	if (label->num < 0 || label->num > UINT32_MAX)
		return false;
	*ret_number = (uint32_t)label->num;
	return true;
}

/* What a sample's labels say, as the file's texts. */
struct label_texts {
	int64_t name, cgroup;
};

/* true when SAMPLE says which process, CPU or control group it is of. */
static bool find_labels(const struct reader *reader, const Pprof__Sample *sample,
			struct profile_task *task, struct label_texts *ret_texts)
{
	bool has_pid = false, has_cpu = false;
	int64_t process = 0, thread = 0;
	uint32_t cpu = 0;

	for (size_t i = 0; i < sample->n_label; i++) {
		const Pprof__Label *label = sample->label[i];

		has_pid |= number_label(reader, label, "pid", &task->pid);
		(void)number_label(reader, label, "tid", &task->tid);
		if (reader_text_is(reader, label->key, "process"))
			process = label->str;
		if (reader_text_is(reader, label->key, "thread"))
			thread = label->str;
		if (reader_text_is(reader, label->key, "cgroup"))
			ret_texts->cgroup = label->str;
		has_cpu |= number_label(reader, label, "cpu", &cpu) && cpu < UINT32_MAX;
	}
	task->cpu = has_cpu ? cpu + 1 : 0;
	ret_texts->name = task->tid && thread ? thread : process;
	return has_pid || has_cpu || ret_texts->cgroup;
}

/* The number of TASK in the profile, which it is added to when it is new. */
static int number_task(struct reader *reader, const struct profile_task *task, uint32_t *ret_index)
{
	char *key;
	uint32_t number;
	int length, ret;

	length = asprintf(&key, "%u %u %u %u %u", task->pid, task->tid, task->name, task->cpu,
			  task->cgroup);
	if (length < 0)
		return -ENOMEM;
	ret = strings_add(reader->tasks, key, (size_t)length, &number);
	free(key);
	if (ret)
		return ret;
	*ret_index = number - 1;
	if (*ret_index < reader->profile->task_count)
		return 0;
	return profile_add_task(reader->profile, task, ret_index);
}

static int find_task(struct reader *reader, const Pprof__Sample *sample, uint32_t *ret_task)
{
	struct profile_task task = {0};
	struct label_texts texts = {0};
	int ret;

	*ret_task = PROFILE_NO_TASK;
	if (!find_labels(reader, sample, &task, &texts))
		return 0;
	ret = reader_text(reader, texts.name, &task.name);
	ret = ret ? ret : reader_text(reader, texts.cgroup, &task.cgroup);
	return ret ? ret : number_task(reader, &task, ret_task);
}

static int find_ticks(struct reader *reader, const Pprof__Sample *sample, uint64_t *ret_ticks)
{
	if (sample->n_value != reader->type_count)
		return reader_bad(reader, "a sample with a value too many or too few");
	for (size_t i = 0; i < sample->n_value; i++)
		if (sample->value[i] < 0)
			return reader_bad(reader, "a negative value");
	*ret_ticks = (uint64_t)sample->value[reader->value] / reader->divisor;
	return 0;
}

/* Where a sample's time went: its innermost frame.  The others must be there, but are not kept. */
static int find_location(struct reader *reader, const Pprof__Sample *sample, uint32_t *ret_location)
{
	struct profile_location nothing = {.kind = LOCATION_ADDRESS};
	int ret;

	for (size_t i = sample->n_location_id; i-- > 0;)
		if (ids_find(&reader->locations, sample->location_id[i], ret_location))
			return reader_bad(reader, "a location that is not there");
	if (sample->n_location_id)
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
static bool is_call(const struct reader *reader, const Pprof__Sample *sample)
{
	return reader->calls < sample->n_value && sample->value[reader->calls] &&
	       !sample->value[reader->value] &&
	       (sample->n_location_id == 1 || sample->n_location_id == 2);
}

static int add_call(struct reader *reader, const Pprof__Sample *sample)
{
	struct profile_call call = {
		.caller = PROFILE_NO_CALLER,
		.count = (uint64_t)sample->value[reader->calls],
	};

	if (ids_find(&reader->locations, sample->location_id[0], &call.callee) ||
	    (sample->n_location_id > 1 &&
	     ids_find(&reader->locations, sample->location_id[1], &call.caller)))
		return reader_bad(reader, "a location that is not there");
	return profile_add_call(reader->profile, &call);
}

static int add_sample(struct reader *reader, const Pprof__Sample *sample)
{
	struct profile_cell cell;
	int ret = find_ticks(reader, sample, &cell.ticks);

	if (!ret && is_call(reader, sample))
		return add_call(reader, sample);
	ret = ret ? ret : find_location(reader, sample, &cell.location);
	ret = ret ? ret : find_task(reader, sample, &cell.task);
	return ret ? ret : profile_add_cell(reader->profile, &cell);
}

static int take_sample(struct reader *reader, const struct wire_field *field)
{
	Pprof__Sample *sample = pprof__sample__unpack(NULL, field->size, field->bytes);
	int ret;

	if (!sample)
		return reader_bad(reader, "a damaged sample");
	ret = add_sample(reader, sample);
	pprof__sample__free_unpacked(sample, NULL);
	return ret;
}

int reader_samples(struct reader *reader)
{
	int ret = -ENOMEM;

	reader->tasks = strings_new();
	if (reader->tasks)
		ret = reader_walk(reader, 2, take_sample);
	strings_free(reader->tasks);
	return ret;
}
