/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bounded reading of a binary file, whose words may be of another machine. */
struct cursor {
	const uint8_t *bytes;
	size_t size, at;
	size_t word; /* the size of an address there: 4 or 8 */
	bool big;    /* most significant byte first */
	bool failed; /* something was asked for beyond the end; then everything reads as 0 */
};

static inline size_t cursor_left(const struct cursor *cursor)
{
	return cursor->size - cursor->at;
}

/* The next SIZE bytes, or NULL beyond the end. */
const uint8_t *cursor_bytes(struct cursor *cursor, size_t size);

/* The next number, of SIZE bytes, 8 at most. */
uint64_t cursor_number(struct cursor *cursor, size_t size);

/* The next address-sized number. */
uint64_t cursor_word(struct cursor *cursor);
