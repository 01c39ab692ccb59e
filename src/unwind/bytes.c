// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/bytes.h"

#include <string.h>

static const uint8_t *advance(struct bytes *bytes, uint64_t count)
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

uint64_t bytes_number(struct bytes *bytes, unsigned size)
{
	const uint8_t *at = advance(bytes, size);
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

/* Bits beyond 64 are dropped.  *RET_BITS is how many were read, at most 70. */
static uint64_t leb128(struct bytes *bytes, unsigned *ret_bits, bool *ret_is_negative)
{
	uint64_t value = 0;
	unsigned shift = 0;
	const uint8_t *at;

	do {
		at = shift < 70 ? advance(bytes, 1) : NULL;
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

uint64_t bytes_uleb128(struct bytes *bytes)
{
	bool is_negative = false;
	unsigned bits;

	return leb128(bytes, &bits, &is_negative);
}

int64_t bytes_sleb128(struct bytes *bytes)
{
	bool is_negative = false;
	unsigned bits;
	uint64_t value = leb128(bytes, &bits, &is_negative);

	return (int64_t)(is_negative && bits < 64 ? value | (UINT64_MAX << bits) : value);
}

struct bytes bytes_take(struct bytes *bytes, uint64_t count)
{
	const uint8_t *at = advance(bytes, count);

	return at ? (struct bytes){at, bytes->at, false} : (struct bytes){.is_short = true};
}

const char *bytes_string(struct bytes *bytes)
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
