// SPDX-License-Identifier: BSD-2-Clause
#include "profile/writer.h"

#include "base/array.h"
#include "profile/facts.h"
#include "profile/profile.pb-c.h"

#include <errno.h>
#include <stdlib.h>

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
	return writer_own_text(comments->writer, comment, &comments->items[comments->count++]);
}

static int name_type(struct writer *writer, Pprof__ValueType *type, const char *name,
		     const char *unit)
{
	pprof__value_type__init(type);
	if (writer_own_text(writer, name, &type->type) ||
	    writer_own_text(writer, unit, &type->unit))
		return -ENOMEM;
	return 0;
}

/* All fields that are there once: packed as a profile without the others, whose bytes are then
 * part of the file's. */
int writer_head(struct writer *writer)
{
	const struct profile_facts *facts = &writer->profile->facts;
	struct comments comments = {.writer = writer};
	Pprof__Profile head = PPROF__PROFILE__INIT;
	Pprof__ValueType ticks, cpu, calls;
	Pprof__ValueType *types[WRITER_VALUES] = {&ticks, &cpu, &calls};
	size_t size;
	int ret = -EOVERFLOW;

	if (facts->period_ns <= INT64_MAX && facts->duration_ns <= INT64_MAX)
		ret = facts_write(writer->profile, take_comment, &comments);
	if (!ret && (name_type(writer, &ticks, "ticks", "count") ||
		     name_type(writer, &cpu, "cpu", "nanoseconds") ||
		     (writer->profile->call_count && name_type(writer, &calls, "calls", "count"))))
		ret = -ENOMEM;
	if (!ret) {
		head.n_sample_type = writer_values(writer);
		head.sample_type = types;
		head.period_type = &cpu;
		head.period = (int64_t)facts->period_ns;
		head.time_nanos = facts->time_ns;
		head.duration_nanos = (int64_t)facts->duration_ns;
		head.default_sample_type = cpu.type;
		head.n_comment = comments.count;
		head.comment = comments.items;
		ret = writer_pack(writer, &head.base, &size);
	}
	free(comments.items);
	return ret ? ret : writer_bytes(writer, writer->buffer, size);
}
