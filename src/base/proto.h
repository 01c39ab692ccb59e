/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Messages of protocol buffers, field by field, in the caller's memory: nothing allocates and all
 * functions are signal-safe. */

/* ---- reading ---- */

enum proto_type {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2,
	PROTO_FIXED32 = 5,
};

struct proto_field {
	uint32_t number;
	enum proto_type type;
	uint64_t value;	      /* of a number */
	const uint8_t *bytes; /* what the field holds, as it stands in the cursor's memory */
	size_t size;
};

/* What is still to be read. */
struct proto_cursor {
	const uint8_t *next, *end;
};

/* A number of seven bits a byte, lowest first.  Returns 0 or -EBADMSG. */
int proto_varint(struct proto_cursor *cursor, uint64_t *ret_value);

/* The next field.  Returns 1, 0 at the end, or -EBADMSG; a bad field is not stepped over. */
int proto_next(struct proto_cursor *cursor, struct proto_field *ret_field);

/* The fields of FIELD, which must be a message; the numbers of FIELD for proto_varint(), one
 * or many packed.  Returns 0 or -EBADMSG. */
int proto_enter(const struct proto_field *field, struct proto_cursor *ret_cursor);
int proto_unpack(const struct proto_field *field, struct proto_cursor *ret_cursor);

/* A message whose fields below COUNT are all numbers: NUMBERS[I] becomes field I, 0 where it is not
 * there.  Fields from COUNT on are skipped.  Returns 0 or -EBADMSG. */
int proto_read_numbers(const struct proto_field *message, uint64_t *numbers, size_t count);

/* ---- writing ---- */

/* Where a message is put.  What does not fit is not written, but counted: afterwards .used is the
 * room that the whole needs. */
struct proto {
	uint8_t *bytes;
	size_t used, room;
};

/* An empty message of up to ROOM bytes, in memory of the block that it stands in. */
#define PROTO(size) ((struct proto){.bytes = (uint8_t[size]){0}, .room = (size)})

/* The most that a number takes as a field of a number below 16. */
#define PROTO_NUMBER_MAX 11

/* Field FIELD; a number that is 0 is left out, as the format has it. */
void proto_number(struct proto *proto, uint32_t field, uint64_t number);

/* COUNT numbers, packed; none are no field. */
void proto_numbers(struct proto *proto, uint32_t field, const uint64_t *numbers, size_t count);

/* What stands before SIZE bytes, and both together. */
#define PROTO_HEAD_MAX 20
void proto_head(struct proto *proto, uint32_t field, size_t size);
void proto_bytes(struct proto *proto, uint32_t field, const void *bytes, size_t size);

/* The message PART as a field. */
void proto_message(struct proto *proto, uint32_t field, const struct proto *part);
