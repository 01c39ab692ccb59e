// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/x86.h"

#include <stdbool.h>
#include <string.h>

/* "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 2: chapter 2 has how an
 * instruction is put together, appendix A which opcodes have an immediate. */

struct reader {
	const uint8_t *bytes;
	size_t at, size;
	bool is_cut;
};

static uint8_t take(struct reader *reader)
{
	if (reader->at < reader->size)
		return reader->bytes[reader->at++];
	reader->is_cut = true;
	return 0;
}

/* Legacy prefixes, and REX. */
static void skip_prefixes(struct reader *reader)
{
	static const char prefixes[] = "\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x66\x67";

	while (reader->at < reader->size &&
	       memchr(prefixes, reader->bytes[reader->at], sizeof(prefixes) - 1))
		reader->at++;
	if (reader->at < reader->size && (reader->bytes[reader->at] & 0xf0) == 0x40)
		reader->at++;
}

/* The number of the map whose opcode is next; 0: not one of them. */
static unsigned read_map(struct reader *reader)
{
	unsigned map;

	switch (take(reader)) {
	case 0x0f:
		if (reader->at < reader->size && reader->bytes[reader->at] == 0x38)
			map = 2;
		else if (reader->at < reader->size && reader->bytes[reader->at] == 0x3a)
			map = 3;
		else
			return 1;
		reader->at++;
		return map;
	case 0xc5:
		reader->at += 1;
		return 1;
	case 0xc4:
		map = take(reader) & 0x1f;
		reader->at += 1;
		return map;
	case 0x62:
		map = take(reader) & 7;
		reader->at += 2;
		return map;
	default:
		return 0;
	}
}

static bool has_immediate(unsigned map, uint8_t opcode)
{
	static const char in_first[] = "\x70\x71\x72\x73\xa4\xac\xba\xc2\xc4\xc5\xc6";

	return map == 3 || (map == 1 && memchr(in_first, opcode, sizeof(in_first) - 1));
}

/* The byte that says where the operands are, and the address that it asks for. */
static void skip_operands(struct reader *reader)
{
	uint8_t modrm = take(reader), mode = modrm >> 6, base = modrm & 7;

	if (mode == 3)
		return;
	if (base == 4)
		base = take(reader) & 7;
	if (mode == 1)
		reader->at += 1;
	else if (mode == 2 || base == 5)
		reader->at += 4;
}

uint8_t x86_length(const uint8_t *bytes, size_t size)
{
	struct reader reader = {.bytes = bytes, .size = size};
	unsigned map;
	uint8_t opcode;

	skip_prefixes(&reader);
	map = read_map(&reader);
	opcode = take(&reader);
	skip_operands(&reader);
	reader.at += has_immediate(map, opcode);
	if (!map || reader.is_cut || reader.at > size || reader.at > 15)
		return 1;
	return (uint8_t)reader.at;
}
