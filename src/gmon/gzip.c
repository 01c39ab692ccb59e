// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/gzip.h"

#include <endian.h>
#include <string.h>

/* RFC 1952 and, of deflate, RFC 1951's blocks of no compression: a byte that says whether it is the
 * last, its size and its size's complement. */

uint32_t gzip_sum(uint32_t sum, const void *bytes, size_t size)
{
	/* Of each four bits, by the polynomial 0xedb88320. */
	static const uint32_t table[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const uint8_t *at = bytes, *end = at + size;

	sum = ~sum;
	for (; at < end; at++) {
		sum ^= *at;
		sum = sum >> 4 ^ table[sum & 15];
		sum = sum >> 4 ^ table[sum & 15];
	}
	return ~sum;
}

void gzip_open(struct gzip *gzip, struct output *output)
{
	/* Deflate, no name and no time, so that equal profiles are equal files; from Unix. */
	static const uint8_t head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};

	gzip->output = output;
	gzip->sum = 0;
	gzip->size = 0;
	gzip->used = 0;
	output_bytes(output, head, sizeof(head));
}

static void put_block(struct gzip *gzip, bool is_last)
{
	uint16_t sizes[] = {htole16((uint16_t)gzip->used), htole16((uint16_t)~gzip->used)};
	uint8_t tag = is_last;

	output_bytes(gzip->output, &tag, sizeof(tag));
	output_bytes(gzip->output, sizes, sizeof(sizes));
	output_bytes(gzip->output, gzip->block, gzip->used);
	gzip->used = 0;
}

void gzip_bytes(struct gzip *gzip, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	gzip->sum = gzip_sum(gzip->sum, bytes, size);
	gzip->size += (uint32_t)size;
	while (size) {
		size_t fits = sizeof(gzip->block) - gzip->used;

		fits = size < fits ? size : fits;
		memcpy(gzip->block + gzip->used, from, fits);
		gzip->used += fits;
		from += fits;
		size -= fits;
		if (gzip->used == sizeof(gzip->block))
			put_block(gzip, /* is_last= */ false);
	}
}

void gzip_close(struct gzip *gzip)
{
	uint32_t end[] = {htole32(gzip->sum), htole32(gzip->size)};

	put_block(gzip, /* is_last= */ true);
	output_bytes(gzip->output, end, sizeof(end));
}
