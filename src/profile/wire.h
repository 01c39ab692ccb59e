/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The outermost layer of a protocol buffer, one field after the other, so that a profile need
 * not be in memory twice; what is in a field is protobuf-c's. */

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
	WIRE_FIXED32 = 5,
};

struct wire_field {
	uint32_t number;
	enum wire_type type;
	uint64_t value;	      /* of a number */
	const uint8_t *bytes; /* of WIRE_BYTES: in the cursor's memory */
	size_t size;
};

struct wire_cursor {
	const uint8_t *next, *end;
};

/* A number of seven bits a byte, lowest first.  Returns 0 or -EBADMSG. */
int wire_varint(struct wire_cursor *cursor, uint64_t *ret_value);

/* The next field.  Returns 1, 0 at the end, or -EBADMSG; a bad field is not stepped over. */
int wire_next(struct wire_cursor *cursor, struct wire_field *ret_field);

/* The head of a WIRE_BYTES field of SIZE bytes, to stand before them; returns its length. */
#define WIRE_HEAD_MAX 20
size_t wire_head(uint8_t head[WIRE_HEAD_MAX], uint32_t number, size_t size);
