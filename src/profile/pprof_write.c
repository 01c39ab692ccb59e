// SPDX-License-Identifier: BSD-2-Clause
#include "profile/pprof.h"

#include "base/array.h"
#include "profile/facts.h"
#include "profile/profile.pb-c.h"
#include "profile/replace.h"
#include "profile/wire.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* One message is packed and written after the other, the table of strings last, when it is known
 * which are used.  Hence memory for one message and the strings, and hence no beginning of a file
 * is a whole one: it has indexes and lacks the strings. */

struct writer {
	const struct profile *profile;
	gzFile out;
	struct strings *strings; /* the file's: in order of first use */
	uint32_t *numbers;	 /* of each of the profile's strings, the file's number */
	uint8_t *buffer;	 /* one packed message */
	size_t capacity;
};

/* gzwrite(3) leaves errno when it was the file that failed. */
static int put_bytes(struct writer *writer, const void *bytes, size_t size)
{
	int code;

	if (!size || gzwrite(writer->out, bytes, (unsigned)size) > 0)
		return 0;
	(void)gzerror(writer->out, &code);
	if (code == Z_ERRNO && errno)
		return -errno;
	return code == Z_MEM_ERROR ? -ENOMEM : -EIO;
}

static int put_field(struct writer *writer, uint32_t number, const void *bytes, size_t size)
{
	uint8_t head[WIRE_HEAD_MAX];
	int ret = put_bytes(writer, head, wire_head(head, number, size));

	return ret ? ret : put_bytes(writer, bytes, size);
}

static int pack(struct writer *writer, const ProtobufCMessage *message, size_t *ret_size)
{
	size_t size = protobuf_c_message_get_packed_size(message);

	if (ARRAY_RESERVE(writer->buffer, writer->capacity, size))
		return -ENOMEM;
	*ret_size = protobuf_c_message_pack(message, writer->buffer);
	return 0;
}

static int put_message(struct writer *writer, uint32_t number, const ProtobufCMessage *message)
{
	size_t size;
	int ret = pack(writer, message, &size);

	return ret ? ret : put_field(writer, number, writer->buffer, size);
}

/* The file's number of a text that the profile need not know. */
static int own_text(struct writer *writer, const char *text, int64_t *ret_number)
{
	uint32_t number;

	if (strings_add(writer->strings, text, strlen(text), &number))
		return -ENOMEM;
	*ret_number = number;
	return 0;
}

/* The file's number of the profile's string ID. */
static int text(struct writer *writer, uint32_t id, int64_t *ret_number)
{
	uint32_t *number = &writer->numbers[id];
	const char *string;

	if (id && !*number) {
		string = profile_text(writer->profile, id);
		if (strings_add(writer->strings, string, strlen(string), number))
			return -ENOMEM;
	}
	*ret_number = *number;
	return 0;
}

/* ---- samples ---- */

#define LABELS_MAX 4

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
	if (own_text(writer, key, &label->key) || text(writer, name, &label->str))
		return -ENOMEM;
	label->num = number;
	labels->pointers[labels->count++] = label;
	return 0;
}

/* A thread's name is its own; its process is known by number only. */
static int add_labels(struct writer *writer, uint32_t index, struct labels *labels)
{
	const struct profile_task *task;
	int ret;

	if (index == PROFILE_NO_TASK)
		return 0;
	task = &writer->profile->tasks[index];
	ret = add_label(writer, labels, "pid", 0, task->pid);
	if (!ret && task->tid)
		ret = add_label(writer, labels, "tid", 0, task->tid);
	if (!ret && task->name)
		ret = add_label(writer, labels, task->tid ? "thread" : "process", task->name, 0);
	return ret;
}

/* TICKS x PERIOD, held at the largest number there is. */
static int64_t nanoseconds(uint64_t ticks, uint64_t period)
{
	int64_t product;

	return __builtin_mul_overflow(ticks, period, &product) ? INT64_MAX : product;
}

static int put_sample(struct writer *writer, const struct profile_cell *cell)
{
	Pprof__Sample sample = PPROF__SAMPLE__INIT;
	uint64_t location = (uint64_t)cell->location + 1;
	int64_t values[] = {
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
	sample.n_value = ARRAY_LENGTH(values);
	sample.value = values;
	sample.n_label = labels.count;
	sample.label = labels.pointers;
	return put_message(writer, 2, &sample.base);
}

static int put_samples(struct writer *writer)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < writer->profile->cell_count; i++)
		ret = put_sample(writer, &writer->profile->cells[i]);
	return ret;
}

/* ---- mappings ---- */

static void count_names(const struct profile *profile, const struct profile_location *location,
			Pprof__Mapping *mapping)
{
	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct profile_line *line = &profile->lines[location->first_line + i];

		mapping->has_functions = true;
		mapping->has_inline_frames |= i > 0;
		mapping->has_line_numbers |= line->line > 0;
		mapping->has_filenames |= profile->functions[line->function].file > 0;
	}
}

static int put_mapping(struct writer *writer, size_t index, Pprof__Mapping *mapping)
{
	const struct profile_mapping *from = &writer->profile->mappings[index];

	mapping->id = index + 1;
	mapping->memory_start = from->start;
	mapping->memory_limit = from->limit;
	mapping->file_offset = from->offset;
	if (text(writer, from->path, &mapping->filename) ||
	    text(writer, from->build_id, &mapping->build_id))
		return -ENOMEM;
	return put_message(writer, 3, &mapping->base);
}

static int put_mappings(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	Pprof__Mapping *mappings = calloc(profile->mapping_count + 1, sizeof(*mappings));
	int ret = mappings ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < profile->mapping_count; i++)
		pprof__mapping__init(&mappings[i]);
	for (size_t i = 0; !ret && i < profile->location_count; i++)
		count_names(profile, &profile->locations[i],
			    &mappings[profile->locations[i].mapping]);
	for (size_t i = 0; !ret && i < profile->mapping_count; i++)
		ret = put_mapping(writer, i, &mappings[i]);
	free(mappings);
	return ret;
}

/* ---- locations and functions ---- */

static int put_location(struct writer *writer, size_t index)
{
	const struct profile_location *from = &writer->profile->locations[index];
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Line *lines = calloc((size_t)from->line_count + 1, sizeof(*lines));
	Pprof__Line **pointers = calloc((size_t)from->line_count + 1, sizeof(*pointers));
	int ret = -ENOMEM;

	for (uint32_t i = 0; lines && pointers && i < from->line_count; i++) {
		const struct profile_line *line;

		line = &writer->profile->lines[from->first_line + i];
		pprof__line__init(&lines[i]);
		lines[i].function_id = (uint64_t)line->function + 1;
		lines[i].line = line->line;
		pointers[i] = &lines[i];
	}
	location.id = index + 1;
	location.mapping_id = (uint64_t)from->mapping + 1;
	location.address = from->address;
	location.n_line = from->line_count;
	location.line = pointers;
	if (lines && pointers)
		ret = put_message(writer, 4, &location.base);
	free(lines);
	free(pointers);
	return ret;
}

static int put_function(struct writer *writer, size_t index)
{
	const struct profile_function *from = &writer->profile->functions[index];
	Pprof__Function function = PPROF__FUNCTION__INIT;

	function.id = index + 1;
	function.start_line = from->start_line;
	if (text(writer, from->name, &function.name) ||
	    text(writer, from->system_name, &function.system_name) ||
	    text(writer, from->file, &function.filename))
		return -ENOMEM;
	return put_message(writer, 5, &function.base);
}

static int put_places(struct writer *writer)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < writer->profile->location_count; i++)
		ret = put_location(writer, i);
	for (size_t i = 0; !ret && i < writer->profile->function_count; i++)
		ret = put_function(writer, i);
	return ret;
}

/* ---- the rest ---- */

struct comments {
	struct writer *writer;
	int64_t *items;
	size_t count, capacity;
};

static int take_comment(void *context, const char *comment)
{
	struct comments *comments = context;

	if (ARRAY_RESERVE(comments->items, comments->capacity, comments->count + 1))
		return -ENOMEM;
	return own_text(comments->writer, comment, &comments->items[comments->count++]);
}

static int name_type(struct writer *writer, Pprof__ValueType *type, const char *name,
		     const char *unit)
{
	pprof__value_type__init(type);
	if (own_text(writer, name, &type->type) || own_text(writer, unit, &type->unit))
		return -ENOMEM;
	return 0;
}

/* All fields that are there once: packed as a profile without the others, whose bytes are then
 * part of the file's. */
static int put_head(struct writer *writer)
{
	const struct profile_facts *facts = &writer->profile->facts;
	struct comments comments = {.writer = writer};
	Pprof__Profile head = PPROF__PROFILE__INIT;
	Pprof__ValueType ticks, cpu;
	Pprof__ValueType *types[] = {&ticks, &cpu};
	size_t size;
	int ret = facts_write(writer->profile, take_comment, &comments);

	if (!ret && (name_type(writer, &ticks, "ticks", "count") ||
		     name_type(writer, &cpu, "cpu", "nanoseconds")))
		ret = -ENOMEM;
	if (!ret) {
		head.n_sample_type = ARRAY_LENGTH(types);
		head.sample_type = types;
		head.period_type = &cpu;
		head.period = (int64_t)facts->period_ns;
		head.time_nanos = facts->time_ns;
		head.duration_nanos = (int64_t)facts->duration_ns;
		head.default_sample_type = cpu.type;
		head.n_comment = comments.count;
		head.comment = comments.items;
		ret = pack(writer, &head.base, &size);
	}
	free(comments.items);
	return ret ? ret : put_bytes(writer, writer->buffer, size);
}

static int put_strings(struct writer *writer)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < strings_count(writer->strings); i++) {
		const char *string = strings_get(writer->strings, i);

		ret = put_field(writer, 6, string, strlen(string));
	}
	return ret;
}

static int put_profile(struct writer *writer)
{
	size_t count = strings_count(writer->profile->strings);
	int ret = -ENOMEM;

	writer->strings = strings_new();
	writer->numbers = calloc(count + 1, sizeof(*writer->numbers));
	if (writer->strings && writer->numbers)
		ret = put_samples(writer);
	ret = ret ? ret : put_mappings(writer);
	ret = ret ? ret : put_places(writer);
	ret = ret ? ret : put_head(writer);
	ret = ret ? ret : put_strings(writer);
	strings_free(writer->strings);
	free(writer->numbers);
	free(writer->buffer);
	return ret;
}

/* zlib closes what it is given, and FD is still to be synced; its own header bears no time, so
 * equal profiles are equal files. */
static int write_gzipped(const struct profile *profile, int fd)
{
	struct writer writer = {.profile = profile};
	int copy = dup(fd), ret, closed;

	if (copy < 0)
		return -errno;
	writer.out = gzdopen(copy, "wb");
	if (!writer.out) {
		close(copy);
		return -ENOMEM;
	}
	ret = put_profile(&writer);
	errno = 0;
	closed = gzclose_w(writer.out);
	if (!ret && closed != Z_OK)
		ret = closed == Z_ERRNO && errno ? -errno : -EIO;
	return ret;
}

int pprof_write(const struct profile *profile, const char *path, struct error *reterr)
{
	struct replace replace;
	int ret = replace_open(&replace, path, reterr);

	if (ret)
		return ret;
	ret = write_gzipped(profile, replace.fd);
	if (ret)
		replace_abandon(&replace);
	else
		ret = replace_commit(&replace);
	return ret ? replace_error(reterr, ret, path) : 0;
}
