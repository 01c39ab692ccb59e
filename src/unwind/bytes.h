/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes that are read from front to back, in this machine's order.  Once a read went beyond the
 * end, IS_SHORT is set and all that is read is 0: a reader looks once, behind the last field. */
struct bytes {
	const uint8_t *at, *end;
	bool is_short;
};

static inline const uint8_t *bytes_advance(struct bytes *bytes, uint64_t count)
{
	const uint8_t *at = bytes->at;

	if (bytes->is_short || count > (uint64_t)(bytes->end - at)) {
		bytes->is_short = true;
		bytes->at = bytes->end;
		return NULL;
	}
	bytes->at += count;
	return at;
}

/* A number of 1, 2, 4 or 8 bytes. */
static inline uint64_t bytes_number(struct bytes *bytes, unsigned size)
{
	const uint8_t *at = bytes_advance(bytes, size);
	uint64_t eight;
	uint32_t four;
	uint16_t two;

	if (!at)
		return 0;
	switch (size) {
	case 1:
		return *at;
	case 2:
		memcpy(&two, at, sizeof(two));
		return two;
	case 4:
		memcpy(&four, at, sizeof(four));
		return four;
	default:
		memcpy(&eight, at, sizeof(eight));
		return eight;
	}
}

/* DWARF's numbers of any length.  Bits beyond 64 are dropped.  *RET_BITS is how many were read, at
 * most 70. */
static inline uint64_t bytes_leb128(struct bytes *bytes, unsigned *ret_bits, bool *ret_is_negative)
{
	uint64_t value = 0;
	unsigned shift = 0;
	const uint8_t *at;

	do {
		at = shift < 70 ? bytes_advance(bytes, 1) : NULL;
		if (!at) {
			bytes->is_short = true;
			*ret_bits = 64;
			return 0;
		}
		if (shift < 64)
			value |= (uint64_t)(*at & 0x7f) << shift;
		shift += 7;
	} while (*at & 0x80);
	*ret_bits = shift;
	*ret_is_negative = *at & 0x40;
	return value;
}

static inline uint64_t bytes_uleb128(struct bytes *bytes)
{
	bool is_negative = false;
	unsigned bits;

	return bytes_leb128(bytes, &bits, &is_negative);
}

static inline int64_t bytes_sleb128(struct bytes *bytes)
{
	bool is_negative = false;
	unsigned bits;
	uint64_t value = bytes_leb128(bytes, &bits, &is_negative);

	return (int64_t)(is_negative && bits < 64 ? value | (UINT64_MAX << bits) : value);
}

/* The next COUNT bytes, which are skipped; none where there are fewer. */
static inline struct bytes bytes_take(struct bytes *bytes, uint64_t count)
{
	const uint8_t *at = bytes_advance(bytes, count);

	return at ? (struct bytes){at, bytes->at, false} : (struct bytes){.is_short = true};
}

/* The next string, with its NUL; "" where there is none. */
static inline const char *bytes_string(struct bytes *bytes)
{
	const uint8_t *nul = NULL;
	const char *text = (const char *)bytes->at;

	if (bytes->at != bytes->end)
		nul = memchr(bytes->at, '\0', (size_t)(bytes->end - bytes->at));
	if (!nul || bytes->is_short) {
		bytes->is_short = true;
		bytes->at = bytes->end;
		return "";
	}
	bytes->at = nul + 1;
	return text;
}
