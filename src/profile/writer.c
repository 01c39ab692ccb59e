// SPDX-License-Identifier: BSD-2-Clause
#include "profile/writer.h"

#include "base/array.h"
#include "profile/wire.h"

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

static int writer_field(struct writer *writer, uint32_t number, const void *bytes, size_t size)
{
	uint8_t head[WIRE_HEAD_MAX];
	int ret = writer_bytes(writer, head, wire_head(head, number, size));

	return ret ? ret : writer_bytes(writer, bytes, size);
}

int writer_pack(struct writer *writer, const ProtobufCMessage *message, size_t *ret_size)
{
	size_t size = protobuf_c_message_get_packed_size(message);

	if (ARRAY_RESERVE(writer->buffer, writer->capacity, size))
		return -ENOMEM;
	*ret_size = protobuf_c_message_pack(message, writer->buffer);
	return 0;
}

int writer_message(struct writer *writer, uint32_t number, const ProtobufCMessage *message)
{
	size_t size;
	int ret = writer_pack(writer, message, &size);

	return ret ? ret : writer_field(writer, number, writer->buffer, size);
}

/* The file's number of a text that the profile need not know. */
int writer_own_text(struct writer *writer, const char *text, int64_t *ret_number)
{
	uint32_t number;

	if (strings_add(writer->strings, text, strlen(text), &number))
		return -ENOMEM;
	*ret_number = number;
	return 0;
}

/* The file's number of the profile's string ID. */
int writer_text(struct writer *writer, uint32_t id, int64_t *ret_number)
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

		ret = writer_field(writer, 6, string, strlen(string));
	}
	return ret;
}
