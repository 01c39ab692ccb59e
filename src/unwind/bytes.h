/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bytes that are read from front to back, in this machine's order.  Once a read went beyond the
 * end, IS_SHORT is set and all that is read is 0: a reader looks once, behind the last field. */
struct bytes {
	const uint8_t *at, *end;
	bool is_short;
};

/* A number of 1, 2, 4 or 8 bytes. */
uint64_t bytes_number(struct bytes *bytes, unsigned size);
uint64_t bytes_uleb128(struct bytes *bytes);
int64_t bytes_sleb128(struct bytes *bytes);

/* The next COUNT bytes, which are skipped; none where there are fewer. */
struct bytes bytes_take(struct bytes *bytes, uint64_t count);

/* The next string, with its NUL; "" where there is none. */
const char *bytes_string(struct bytes *bytes);
