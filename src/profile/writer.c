// SPDX-License-Identifier: BSD-2-Clause
#include "profile/writer.h"

#include "base/array.h"
#include "base/pprof_fields.h"

#include <errno.h>
#include <string.h>

/* gzwrite(3) leaves errno when it was the file that failed. */
int writer_bytes(struct writer *writer, const void *bytes, size_t size)
{
	int code;

	if (writer->watch)
		writer->watch(writer->watcher, bytes, size);
	if (!size || gzwrite(writer->out, bytes, (unsigned)size) > 0)
		return 0;
	(void)gzerror(writer->out, &code);
	if (code == Z_ERRNO && errno)
		return -errno;
	return code == Z_MEM_ERROR ? -ENOMEM : -EIO;
}

static int put_field(struct writer *writer, uint32_t field, const void *bytes, size_t size)
{
	struct proto head = PROTO(PROTO_HEAD_MAX);
	int ret;

	proto_head(&head, field, size);
	ret = writer_bytes(writer, head.bytes, head.used);
	return ret ? ret : writer_bytes(writer, bytes, size);
}

int writer_begin(struct writer *writer, size_t room)
{
	if (ARRAY_RESERVE(writer->message.bytes, writer->message.room, room))
		return -ENOMEM;
	writer->message.used = 0;
	return 0;
}

int writer_message(struct writer *writer, uint32_t field)
{
	return put_field(writer, field, writer->message.bytes, writer->message.used);
}

/* The file's number of a text that the profile need not know. */
int writer_own_text(struct writer *writer, const char *text, uint64_t *ret_number)
{
	uint32_t number;

	if (strings_add(writer->strings, text, strlen(text), &number))
		return -ENOMEM;
	*ret_number = number;
	return 0;
}

/* The file's number of the profile's string ID. */
int writer_text(struct writer *writer, uint32_t id, uint64_t *ret_number)
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

int writer_strings(struct writer *writer)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < strings_count(writer->strings); i++) {
		const char *string = strings_get(writer->strings, i);

		ret = put_field(writer, PPROF_STRING_TABLE, string, strlen(string));
	}
	return ret;
}
