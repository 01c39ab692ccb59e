// SPDX-License-Identifier: BSD-2-Clause
/* What xz does, by the liblzma in this program: lzma SIZE compresses so many bytes of words, and
 * prints what became of them. */
#include <lzma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words of two to nine letters, the first ones oftener. */
static void fill(uint8_t *text, size_t size)
{
	uint32_t state = 1;

	for (size_t i = 0; i < size;) {
		uint32_t word, length;

		state = state * 1664525 + 1013904223;
		word = (state >> 20) * (state >> 20 & 0xff) >> 12;
		length = 2 + word % 8;
		for (uint32_t k = 0; k < length && i < size; k++, word = word * 31 + 7)
			text[i++] = (uint8_t)('a' + word % 26);
		if (i < size)
			text[i++] = ' ';
	}
}

int main(int argc, char **argv)
{
	size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000, room = size * 2 + 65536;
	uint8_t *in = malloc(size), *out = malloc(room);
	size_t used = 0;
	uint32_t sum;

	if (!in || !out)
		return 1;
	fill(in, size);
	if (lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, in, size, out, &used, room))
		return 1;
	sum = lzma_crc32(out, used, 0);
	printf("%zu %zu %08x\n", size, used, sum);
	return 0;
}
