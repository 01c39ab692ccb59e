// SPDX-License-Identifier: BSD-2-Clause
#include "profile/writer.h"

#include "base/array.h"
#include "base/pprof_fields.h"
#include "profile/facts.h"

#include <errno.h>
#include <stdlib.h>

struct comments {
	struct writer *writer;
	uint64_t *items;
	size_t count, capacity;
};

static int take_comment(void *context, const char *comment)
{
	struct comments *comments = context;

	if (ARRAY_RESERVE(comments->items, comments->capacity, comments->count + 1))
		return -ENOMEM;
	return writer_own_text(comments->writer, comment, &comments->items[comments->count++]);
}

struct type {
	uint64_t name, unit;
};

static int name_type(struct writer *writer, const char *name, const char *unit, struct type *type)
{
	int ret = writer_own_text(writer, name, &type->name);

	return ret ? ret : writer_own_text(writer, unit, &type->unit);
}

static void put_type(struct proto *head, uint32_t field, const struct type *type)
{
	struct proto message = PROTO(2 * PROTO_NUMBER_MAX);

	proto_number(&message, PPROF_VALUE_TYPE_TYPE, type->name);
	proto_number(&message, PPROF_VALUE_TYPE_UNIT, type->unit);
	proto_message(head, field, &message);
}

/* All fields that are there once, in the order of their numbers. */
static void put_head(struct writer *writer, const struct type *types,
		     const struct comments *comments)
{
	const struct profile_facts *facts = &writer->profile->facts;
	struct proto *head = &writer->message;

	for (size_t i = 0; i < writer_values(writer); i++)
		put_type(head, PPROF_SAMPLE_TYPE, &types[i]);
	proto_number(head, PPROF_TIME_NANOS, (uint64_t)facts->time_ns);
	proto_number(head, PPROF_DURATION_NANOS, facts->duration_ns);
	put_type(head, PPROF_PERIOD_TYPE, &types[WRITER_CPU]);
	proto_number(head, PPROF_PERIOD, facts_period(facts));
	proto_numbers(head, PPROF_COMMENT, comments->items, comments->count);
	proto_number(head, PPROF_DEFAULT_SAMPLE_TYPE, types[WRITER_CPU].name);
}

static int name_types(struct writer *writer, struct type *types)
{
	const struct profile *profile = writer->profile;
	bool is_event = profile->facts.period;
	struct type *others = types + writer_values(writer) - profile->value_count;
	int ret = name_type(writer, "samples", "count", &types[WRITER_TICKS]);

	ret = ret ? ret
		  : name_type(writer,
			      is_event ? profile_text(profile, profile->facts.event) : "cpu",
			      is_event ? "count" : "nanoseconds", &types[WRITER_CPU]);
	if (!ret && profile->call_count)
		ret = name_type(writer, "calls", "count", &types[WRITER_CALLS]);
	for (size_t i = 0; !ret && i < profile->value_count; i++) {
		ret = writer_text(writer, profile->values[i].type, &others[i].name);
		ret = ret ? ret : writer_text(writer, profile->values[i].unit, &others[i].unit);
	}
	return ret;
}

int writer_head(struct writer *writer)
{
	const struct profile_facts *facts = &writer->profile->facts;
	struct comments comments = {.writer = writer};
	size_t values = writer_values(writer);
	struct type *types = calloc(values, sizeof(*types));
	int ret = types ? -EOVERFLOW : -ENOMEM;

	if (types && facts->period_ns <= INT64_MAX && facts->duration_ns <= INT64_MAX)
		ret = facts_write(writer->profile, take_comment, &comments);
	ret = ret ? ret : name_types(writer, types);
	ret = ret ? ret
		  : writer_begin(writer, (16 + 4 * values + comments.count) * PROTO_NUMBER_MAX);
	if (!ret) {
		put_head(writer, types, &comments);
		ret = writer_bytes(writer, writer->message.bytes, writer->message.used);
	}
	free(comments.items);
	free(types);
	return ret;
}
