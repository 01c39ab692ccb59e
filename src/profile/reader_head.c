// SPDX-License-Identifier: BSD-2-Clause
#include "profile/reader.h"

#include "base/array.h"
#include "base/pprof_fields.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int unpack_type(struct reader *reader, const struct proto_field *field,
		       struct reader_type *ret_type)
{
	uint64_t type[PPROF_VALUE_TYPE_FIELDS];

	if (field->type != PROTO_BYTES)
		return reader_bad(reader, "a number where a message belongs");
	if (proto_read_numbers(field, type, PPROF_VALUE_TYPE_FIELDS))
		return reader_bad(reader, "a damaged sample type");
	*ret_type = (struct reader_type){type[PPROF_VALUE_TYPE_TYPE], type[PPROF_VALUE_TYPE_UNIT]};
	if (!reader_has_text(reader, ret_type->type) || !reader_has_text(reader, ret_type->unit))
		return reader_bad(reader, "a text that is not in its table");
	return 0;
}

static int take_sample_type(struct reader *reader, const struct proto_field *field)
{
	if (ARRAY_RESERVE(reader->types, reader->type_capacity, reader->type_count + 1))
		return -ENOMEM;
	return unpack_type(reader, field, &reader->types[reader->type_count++]);
}

static int add_comment(struct reader *reader, uint64_t text)
{
	if (!reader_has_text(reader, text))
		return reader_bad(reader, "a text that is not in its table");
	if (ARRAY_RESERVE(reader->comments, reader->comment_capacity, reader->comment_count + 1))
		return -ENOMEM;
	reader->comments[reader->comment_count++] = text;
	return 0;
}

/* Packed, many in one field; or one field each, as older writers have it. */
static int take_comments(struct reader *reader, const struct proto_field *field)
{
	struct proto_cursor cursor;
	uint64_t text;
	int ret = 0;

	if (proto_unpack(field, &cursor))
		return reader_bad(reader, "a damaged comment");
	while (!ret && cursor.next < cursor.end) {
		if (proto_varint(&cursor, &text))
			return reader_bad(reader, "a damaged comment");
		ret = add_comment(reader, text);
	}
	return ret;
}

static int take_number(struct reader *reader, const struct proto_field *field, int64_t *ret_number)
{
	if (field->type != PROTO_VARINT)
		return reader_bad(reader, "a message where a number belongs");
	*ret_number = (int64_t)field->value;
	return *ret_number < 0 ? reader_bad(reader, "a negative number") : 0;
}

static int take_head(struct reader *reader, const struct proto_field *field)
{
	struct profile_facts *facts = &reader->profile->facts;

	switch (field->number) {
	case PPROF_SAMPLE_TYPE:
		return take_sample_type(reader, field);
	case PPROF_TIME_NANOS:
		return take_number(reader, field, &facts->time_ns);
	case PPROF_DURATION_NANOS:
		return take_number(reader, field, (int64_t *)&facts->duration_ns);
	case PPROF_PERIOD_TYPE:
		return unpack_type(reader, field, &reader->period_type);
	case PPROF_PERIOD:
		return take_number(reader, field, &reader->period);
	case PPROF_COMMENT:
		return take_comments(reader, field);
	default:
		return 0;
	}
}

/* Samples by name, which earlier files of profil call ticks, else whatever is counted, else the
 * first value there is. */
static size_t choose_value(const struct reader *reader)
{
	static const char *const names[] = {"samples", "ticks"};

	for (size_t n = 0; n < ARRAY_LENGTH(names); n++)
		for (size_t i = 0; i < reader->type_count; i++)
			if (reader_text_is(reader, reader->types[i].type, names[n]))
				return i;
	for (size_t i = 0; i < reader->type_count; i++)
		if (reader_text_is(reader, reader->types[i].unit, "count"))
			return i;
	return 0;
}

/* Calls as profil writes them, beside samples: another program's are of stacks that it kept. */
static size_t find_calls(const struct reader *reader)
{
	uint32_t counted = reader->types[reader->value].type;
	size_t i = 0;

	if (!reader_text_is(reader, counted, "samples") &&
	    !reader_text_is(reader, counted, "ticks"))
		return reader->type_count;
	while (i < reader->type_count && !reader_text_is(reader, reader->types[i].type, "calls"))
		i++;
	return i;
}

/* What made the clock tick, "cpu" or "space, every 524288 bytes".  The
 * facts of profil's own files say it better. */
static int read_event(struct reader *reader)
{
	struct profile *profile = reader->profile;
	uint32_t type, unit;
	char *text;
	int ret;

	if (!reader_has_text(reader, reader->period_type.type))
		return 0;
	if (reader_text(reader, reader->period_type.type, &type) ||
	    reader_text(reader, reader->period_type.unit, &unit))
		return -ENOMEM;
	reader->event = type;
	if (!type || profile->facts.period_ns || !reader->period)
		return 0;
	if (asprintf(&text, "%s, every %" PRId64 " %s", profile_text(profile, type), reader->period,
		     profile_text(profile, unit)) < 0)
		return -ENOMEM;
	ret = profile_string(profile, text, &reader->event);
	free(text);
	return ret;
}

int reader_head(struct reader *reader)
{
	const struct reader_type *type;
	int ret = reader_walk(reader, 0, take_head);

	if (ret)
		return ret;
	if (!reader->type_count)
		return reader_bad(reader, "it does not say what was counted");
	if (reader_text_is(reader, reader->period_type.unit, "nanoseconds"))
		reader->profile->facts.period_ns = (uint64_t)reader->period;
	reader->value = choose_value(reader);
	reader->calls = find_calls(reader);
	type = &reader->types[reader->value];
	ret = read_event(reader);
	if (ret)
		return ret;
	reader->divisor = 1;
	if (reader_text_is(reader, type->unit, "nanoseconds") && reader->profile->facts.period_ns)
		reader->divisor = reader->profile->facts.period_ns;
	return 0;
}

bool reader_is_other(const struct reader *reader, size_t index)
{
	uint32_t type = reader->types[index].type;

	return index != reader->value && index != reader->calls &&
	       type != reader->period_type.type && !reader_text_is(reader, type, "cpu");
}

int reader_values(struct reader *reader)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < reader->type_count; i++) {
		struct profile_value value;
		uint32_t index;

		if (!reader_is_other(reader, i))
			continue;
		ret = reader_text(reader, reader->types[i].type, &value.type);
		ret = ret ? ret : reader_text(reader, reader->types[i].unit, &value.unit);
		ret = ret ? ret : profile_add_value(reader->profile, &value, &index);
	}
	return ret;
}
