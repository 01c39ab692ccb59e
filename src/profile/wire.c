// SPDX-License-Identifier: BSD-2-Clause
#include "profile/wire.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

int wire_varint(struct wire_cursor *cursor, uint64_t *ret_value)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && cursor->next < cursor->end; shift += 7) {
		uint8_t byte = *cursor->next++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		*ret_value = value;
		return 0;
	}
	return -EBADMSG;
}

/* SIZE bytes that are there, or NULL. */
static const uint8_t *take(struct wire_cursor *cursor, uint64_t size)
{
	const uint8_t *bytes = cursor->next;

	if (size > (size_t)(cursor->end - cursor->next))
		return NULL;
	cursor->next += size;
	return bytes;
}

static int take_bytes(struct wire_cursor *cursor, struct wire_field *field)
{
	uint64_t size;

	if (wire_varint(cursor, &size))
		return -EBADMSG;
	field->bytes = take(cursor, size);
	field->size = (size_t)size;
	return field->bytes ? 0 : -EBADMSG;
}

static int take_fixed(struct wire_cursor *cursor, size_t size, struct wire_field *field)
{
	const uint8_t *bytes = take(cursor, size);
	uint64_t value = 0;

	if (!bytes)
		return -EBADMSG;
	memcpy(&value, bytes, size);
	field->value = le64toh(value);
	return 0;
}

static int take_value(struct wire_cursor *cursor, struct wire_field *field)
{
	switch (field->type) {
	case WIRE_VARINT:
		return wire_varint(cursor, &field->value);
	case WIRE_FIXED64:
		return take_fixed(cursor, 8, field);
	case WIRE_BYTES:
		return take_bytes(cursor, field);
	case WIRE_FIXED32:
		return take_fixed(cursor, 4, field);
	default:
		return -EBADMSG;
	}
}

int wire_next(struct wire_cursor *cursor, struct wire_field *ret_field)
{
	struct wire_cursor ahead = *cursor;
	struct wire_field field = {0};
	uint64_t tag;

	if (ahead.next == ahead.end)
		return 0;
	if (wire_varint(&ahead, &tag) || tag >> 3 == 0 || tag >> 32)
		return -EBADMSG;
	field.number = (uint32_t)(tag >> 3);
	field.type = (enum wire_type)(tag & 7);
	if (take_value(&ahead, &field))
		return -EBADMSG;
	*cursor = ahead;
	*ret_field = field;
	return 1;
}

static size_t put_varint(uint8_t *out, uint64_t value)
{
	size_t length = 0;

	for (; value > 0x7f; value >>= 7)
		out[length++] = (uint8_t)value | 0x80;
	out[length++] = (uint8_t)value;
	return length;
}

size_t wire_head(uint8_t head[WIRE_HEAD_MAX], uint32_t number, size_t size)
{
	size_t length = put_varint(head, (uint64_t)number << 3 | WIRE_BYTES);

	return length + put_varint(head + length, size);
}
