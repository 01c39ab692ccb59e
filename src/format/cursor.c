// SPDX-License-Identifier: BSD-2-Clause
#include "format/cursor.h"

const uint8_t *cursor_bytes(struct cursor *cursor, size_t size)
{
	const uint8_t *bytes = cursor->bytes + cursor->at;

	if (cursor->failed || size > cursor_left(cursor)) {
		cursor->failed = true;
		return NULL;
	}
	cursor->at += size;
	return bytes;
}

uint64_t cursor_number(struct cursor *cursor, size_t size)
{
	const uint8_t *bytes = cursor_bytes(cursor, size);
	uint64_t number = 0;

	if (!bytes)
		return 0;
	for (size_t i = 0; i < size; i++)
		number = number << 8 | bytes[cursor->big ? i : size - 1 - i];
	return number;
}

uint64_t cursor_word(struct cursor *cursor)
{
	return cursor_number(cursor, cursor->word);
}
