// SPDX-License-Identifier: BSD-2-Clause
#include "base/proto.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

int proto_varint(struct proto_cursor *cursor, uint64_t *ret_value)
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

static int take(struct proto_cursor *cursor, uint64_t size, struct proto_field *field)
{
	if (size > (size_t)(cursor->end - cursor->next))
		return -EBADMSG;
	field->bytes = cursor->next;
	field->size = (size_t)size;
	cursor->next += size;
	return 0;
}

static int take_number(struct proto_cursor *cursor, struct proto_field *field)
{
	field->bytes = cursor->next;
	if (proto_varint(cursor, &field->value))
		return -EBADMSG;
	field->size = (size_t)(cursor->next - field->bytes);
	return 0;
}

static int take_fixed(struct proto_cursor *cursor, size_t size, struct proto_field *field)
{
	uint64_t value = 0;

	if (take(cursor, size, field))
		return -EBADMSG;
	memcpy(&value, field->bytes, size);
	field->value = le64toh(value);
	return 0;
}

static int take_value(struct proto_cursor *cursor, struct proto_field *field)
{
	uint64_t size;

	switch (field->type) {
	case PROTO_VARINT:
		return take_number(cursor, field);
	case PROTO_FIXED64:
		return take_fixed(cursor, 8, field);
	case PROTO_BYTES:
		return proto_varint(cursor, &size) ? -EBADMSG : take(cursor, size, field);
	case PROTO_FIXED32:
		return take_fixed(cursor, 4, field);
	default: /* the groups of old: nobody writes them into a profile */
		return -EBADMSG;
	}
}

int proto_next(struct proto_cursor *cursor, struct proto_field *ret_field)
{
	struct proto_cursor ahead = *cursor;
	struct proto_field field = {0};
	uint64_t tag;

	if (ahead.next == ahead.end)
		return 0;
	if (proto_varint(&ahead, &tag) || tag >> 3 == 0 || tag >> 32)
		return -EBADMSG;
	field.number = (uint32_t)(tag >> 3);
	field.type = (enum proto_type)(tag & 7);
	if (take_value(&ahead, &field))
		return -EBADMSG;
	*cursor = ahead;
	*ret_field = field;
	return 1;
}

int proto_enter(const struct proto_field *field, struct proto_cursor *ret_cursor)
{
	if (field->type != PROTO_BYTES)
		return -EBADMSG;
	*ret_cursor = (struct proto_cursor){field->bytes, field->bytes};
	if (field->size)
		ret_cursor->end += field->size;
	return 0;
}

int proto_unpack(const struct proto_field *field, struct proto_cursor *ret_cursor)
{
	if (field->type != PROTO_BYTES && field->type != PROTO_VARINT)
		return -EBADMSG;
	*ret_cursor = (struct proto_cursor){field->bytes, field->bytes + field->size};
	return 0;
}

int proto_read_numbers(const struct proto_field *message, uint64_t *numbers, size_t count)
{
	struct proto_cursor cursor;
	struct proto_field field;
	int more = proto_enter(message, &cursor);

	memset(numbers, 0, count * sizeof(*numbers));
	while (!more && (more = proto_next(&cursor, &field)) > 0) {
		more = 0;
		if (field.number >= count)
			continue;
		if (field.type != PROTO_VARINT)
			return -EBADMSG;
		numbers[field.number] = field.value;
	}
	return more;
}

static void put_byte(struct proto *proto, uint8_t byte)
{
	if (proto->used < proto->room)
		proto->bytes[proto->used] = byte;
	proto->used++;
}

static void put_varint(struct proto *proto, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put_byte(proto, (uint8_t)value | 0x80);
	put_byte(proto, (uint8_t)value);
}

static void put_bytes(struct proto *proto, const void *bytes, size_t size)
{
	if (size && proto->used <= proto->room && size <= proto->room - proto->used)
		memcpy(proto->bytes + proto->used, bytes, size);
	proto->used += size;
}

void proto_number(struct proto *proto, uint32_t field, uint64_t number)
{
	if (!number)
		return;
	put_varint(proto, (uint64_t)field << 3 | PROTO_VARINT);
	put_varint(proto, number);
}

void proto_numbers(struct proto *proto, uint32_t field, const uint64_t *numbers, size_t count)
{
	struct proto counted = {.room = 0};

	for (size_t i = 0; i < count; i++)
		put_varint(&counted, numbers[i]);
	if (count)
		proto_head(proto, field, counted.used);
	for (size_t i = 0; i < count; i++)
		put_varint(proto, numbers[i]);
}

void proto_head(struct proto *proto, uint32_t field, size_t size)
{
	put_varint(proto, (uint64_t)field << 3 | PROTO_BYTES);
	put_varint(proto, size);
}

void proto_bytes(struct proto *proto, uint32_t field, const void *bytes, size_t size)
{
	proto_head(proto, field, size);
	put_bytes(proto, bytes, size);
}

void proto_message(struct proto *proto, uint32_t field, const struct proto *part)
{
	proto_bytes(proto, field, part->bytes, part->used);
}
