// SPDX-License-Identifier: BSD-2-Clause
#include "profile/reader.h"

#include "base/array.h"
#include "base/pprof_fields.h"

#include <errno.h>
#include <string.h>

int reader_bad(struct reader *reader, const char *why)
{
	reader->why = why;
	return -EBADMSG;
}

int reader_walk(struct reader *reader, uint32_t number, reader_take *take)
{
	struct proto_cursor cursor = {reader->bytes, reader->bytes + reader->size};
	struct proto_field field;
	int more;

	while ((more = proto_next(&cursor, &field)) > 0) {
		int ret;

		if (number && field.number != number)
			continue;
		if (number && field.type != PROTO_BYTES)
			return reader_bad(reader, "a number where a message belongs");
		ret = take(reader, &field);
		if (ret)
			return ret;
	}
	return more ? reader_bad(reader, "damaged or cut short") : 0;
}

bool reader_has_text(const struct reader *reader, uint64_t index)
{
	return index < reader->text_count;
}

int reader_text(struct reader *reader, uint64_t index, uint32_t *ret_id)
{
	const struct reader_slice *found;

	if (!reader_has_text(reader, index))
		return reader_bad(reader, "a text that is not in its table");
	found = &reader->texts[index];
	return strings_add(reader->profile->strings, (const char *)found->text,
			   strnlen((const char *)found->text, found->length), ret_id);
}

bool reader_text_is(const struct reader *reader, uint64_t index, const char *word)
{
	const struct reader_slice *found;

	if (!reader_has_text(reader, index))
		return false;
	found = &reader->texts[index];
	return found->length == strlen(word) && !memcmp(found->text, word, found->length);
}

static int take_text(struct reader *reader, const struct proto_field *field)
{
	if (ARRAY_RESERVE(reader->texts, reader->text_capacity, reader->text_count + 1))
		return -ENOMEM;
	reader->texts[reader->text_count++] = (struct reader_slice){field->bytes, field->size};
	return 0;
}

int reader_texts(struct reader *reader)
{
	int ret = reader_walk(reader, PPROF_STRING_TABLE, take_text);

	if (ret)
		return ret;
	if (!reader->text_count || reader->texts[0].length)
		return reader_bad(reader, "no table of texts that begins with an empty one");
	return 0;
}
