// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/message.h"

#include <string.h>

#define VARINT 0
#define BYTES 2

/* Seven bits a byte, lowest first. */
static void put_varint(struct message *message, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		message->bytes[message->used++] = (uint8_t)value | 0x80;
	message->bytes[message->used++] = (uint8_t)value;
}

void message_number(struct message *message, uint32_t field, uint64_t number)
{
	if (!number)
		return;
	put_varint(message, field << 3 | VARINT);
	put_varint(message, number);
}

void message_head(struct message *message, uint32_t field, size_t size)
{
	put_varint(message, field << 3 | BYTES);
	put_varint(message, size);
}

void message_numbers(struct message *message, uint32_t field, const uint64_t *numbers, size_t count)
{
	struct message packed = {.used = 0};

	for (size_t i = 0; i < count; i++)
		put_varint(&packed, numbers[i]);
	message_head(message, field, packed.used);
	memcpy(message->bytes + message->used, packed.bytes, packed.used);
	message->used += packed.used;
}
