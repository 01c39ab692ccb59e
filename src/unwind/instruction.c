// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/instruction.h"

#include <string.h>

/* "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 2: chapter 2 has how an
 * instruction is put together, appendix A the maps of opcodes. */

enum { MOST_BYTES = 15 };

struct reader {
	const uint8_t *bytes;
	size_t at, size;
	bool is_cut;
	uint8_t rex; /* as REX has it, of VEX, too */
};

#define IS_ONE_OF(opcode, opcodes) (!!memchr(opcodes, opcode, sizeof(opcodes) - 1))

static int64_t take(struct reader *reader, unsigned size)
{
	uint64_t value = 0;

	if (!size)
		return 0;
	if (size > reader->size - reader->at) {
		reader->is_cut = true;
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)reader->bytes[reader->at + i] << (8 * i);
	reader->at += size;
	return (int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size);
}

static uint8_t take_byte(struct reader *reader)
{
	return (uint8_t)take(reader, 1);
}

static void read_vex(struct reader *reader, struct instruction *it, uint8_t first)
{
	uint8_t a = take_byte(reader), b;

	it->is_vector = true;
	it->map = first == 0xc5 ? 1 : a & (first == 0x62 ? 7 : 0x1f);
	b = first == 0xc5 ? a : take_byte(reader);
	it->vector_size = b & 4 ? 32 : 16;
	it->repeat = (b & 3) == 2 ? 0xf3 : (b & 3) == 3 ? 0xf2 : 0;
	if (first == 0x62)
		it->vector_size = (uint8_t)(16 << (take_byte(reader) >> 5 & 3));
	/* The bits are turned over. */
	reader->rex = first == 0xc5 ? (uint8_t)(~a >> 5 & 4) : (uint8_t)(~a >> 5 & 7);
	it->third = (uint8_t)(~b >> 3 & 15);
	it->opcode = take_byte(reader);
}

static void read_opcode(struct reader *reader, struct instruction *it)
{
	static const char prefixes[] = "\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x66\x67";
	uint8_t byte = take_byte(reader);

	while (IS_ONE_OF(byte, prefixes) && !reader->is_cut) {
		it->is_short |= byte == 0x66;
		if (byte == 0xf2 || byte == 0xf3)
			it->repeat = byte;
		byte = take_byte(reader);
	}
	if ((byte & 0xf0) == 0x40) {
		it->has_rex = true;
		it->is_wide = byte & 8;
		reader->rex = byte & 7;
		byte = take_byte(reader);
	}
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
		read_vex(reader, it, byte);
		return;
	}
	it->opcode = byte;
	if (byte != 0x0f)
		return;
	it->map = 1;
	it->opcode = take_byte(reader);
	if (it->opcode != 0x38 && it->opcode != 0x3a)
		return;
	it->map = it->opcode == 0x38 ? 2 : 3;
	it->opcode = take_byte(reader);
}

static bool exists(const struct instruction *it)
{
	if (it->is_vector)
		return it->map >= 1 && it->map <= 6 && it->map != 4;
	if (it->map == 1)
		return !IS_ONE_OF(it->opcode, "\x04\x0a\x0c\x0f\x24\x25\x26\x27\x36\x39\x3b\x3c"
					      "\x3d\x3e\x3f\xa6\xa7");
	return it->map || !IS_ONE_OF(it->opcode, "\x06\x07\x0e\x16\x17\x1e\x1f\x26\x27\x2e\x2f\x36"
						 "\x37\x3e\x3f\x60\x61\x82\x9a\xa0\xa1\xa2\xa3\xce"
						 "\xd4\xd5\xd6\xea\xf1");
}

static bool has_modrm(const struct instruction *it)
{
	uint8_t opcode = it->opcode;

	if (it->is_vector)
		return it->map != 1 || opcode != 0x77;
	if (it->map > 1)
		return true;
	if (it->map == 1)
		return !(opcode >= 0x30 && opcode <= 0x37) && (opcode & 0xf0) != 0x80 &&
		       (opcode & 0xf8) != 0xc8 &&
		       !IS_ONE_OF(opcode, "\x05\x06\x07\x08\x09\x0b\x0e\x77\xa0\xa1\xa2\xa8\xa9"
					  "\xaa");
	if (opcode < 0x40)
		return (opcode & 7) < 4;
	return (opcode & 0xf0) == 0x80 || (opcode & 0xfc) == 0xd0 || (opcode & 0xf8) == 0xd8 ||
	       IS_ONE_OF(opcode, "\x63\x69\x6b\xc0\xc1\xc6\xc7\xf6\xf7\xfe\xff");
}

static void read_operands(struct reader *reader, struct instruction *it)
{
	uint8_t modrm = take_byte(reader), mode = modrm >> 6, low = modrm & 7;
	bool is_indexed = false;

	it->sub = modrm >> 3 & 7;
	it->reg = (uint8_t)(it->sub | (reader->rex & 4) << 1);
	it->rm = (uint8_t)(low | (reader->rex & 1) << 3);
	it->is_memory = mode != 3;
	if (!it->is_memory)
		return;
	if (low == 4) {
		uint8_t sib = take_byte(reader);

		low = sib & 7;
		is_indexed = (sib >> 3 & 7) != 4 || (reader->rex & 2);
	}
	if (!is_indexed && (mode || low != 5))
		it->base = (uint8_t)(low | (reader->rex & 1) << 3);
	if (mode == 1)
		it->displacement = (int32_t)take(reader, 1);
	else if (mode == 2 || low == 5)
		it->displacement = mode ? (int32_t)take(reader, 4) : (take(reader, 4), 0);
}

static unsigned immediate_size(const struct instruction *it)
{
	uint8_t opcode = it->opcode;
	unsigned whole = it->is_short && !it->is_wide ? 2 : 4;

	if (it->map == 1 && !it->is_vector && (opcode & 0xf0) == 0x80)
		return 4;
	if (it->map)
		return it->map == 3 ||
		       (it->map == 1 && IS_ONE_OF(opcode, "\x70\x71\x72\x73\xa4\xac\xba\xc2\xc4\xc5"
							  "\xc6"));
	if (opcode < 0x40)
		return (opcode & 7) == 4 ? 1 : (opcode & 7) == 5 ? whole : 0;
	if ((opcode & 0xf8) == 0xb8)
		return it->is_wide ? 8 : whole;
	if (opcode == 0xe8 || opcode == 0xe9)
		return 4;
	if (opcode == 0xf6 || opcode == 0xf7)
		return it->sub > 1 ? 0 : opcode == 0xf6 ? 1 : whole;
	if (IS_ONE_OF(opcode, "\x68\x69\x81\xa9\xc7"))
		return whole;
	if (opcode == 0xc2 || opcode == 0xca)
		return 2;
	if (opcode == 0xc8)
		return 3;
	return (opcode & 0xf0) == 0x70 || (opcode & 0xf8) == 0xb0 || (opcode & 0xf8) == 0xe0 ||
	       IS_ONE_OF(opcode, "\x6a\x6b\x80\x83\xa8\xc0\xc1\xc6\xcd\xeb");
}

bool instruction_read(const uint8_t *bytes, size_t size, struct instruction *ret)
{
	struct reader reader = {.bytes = bytes, .size = size < MOST_BYTES ? size : MOST_BYTES};
	struct instruction it = {.base = REGISTER_NONE};

	read_opcode(&reader, &it);
	if (!exists(&it))
		return false;
	it.low = (uint8_t)((it.opcode & 7) | (reader.rex & 1) << 3);
	it.has_modrm = has_modrm(&it);
	if (it.has_modrm)
		read_operands(&reader, &it);
	it.immediate = take(&reader, immediate_size(&it));
	it.length = (uint8_t)reader.at;
	*ret = it;
	return !reader.is_cut;
}

/* ---- what is written ---- */

enum { WRITES_REG = 1, WRITES_RM = 2, WRITES_THIRD = 4 };

static unsigned written_first(const struct instruction *it)
{
	uint8_t opcode = it->opcode;

	if (opcode < 0x40) /* all but comparisons */
		return opcode >= 0x38 ? 0 : opcode & 2 ? WRITES_REG : WRITES_RM;
	switch (opcode) {
	case 0x80:
	case 0x81:
	case 0x83:
		return it->sub == 7 ? 0 : WRITES_RM;
	case 0x84:
	case 0x85:
		return 0;
	case 0x88:
	case 0x89:
		return WRITES_RM;
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0x8a:
	case 0x8b:
	case 0x8d:
		return WRITES_REG;
	case 0xf6:
	case 0xf7:
		return it->sub == 2 || it->sub == 3 ? WRITES_RM : 0;
	case 0xfe:
	case 0xff:
		return it->sub < 2 ? WRITES_RM : 0;
	case 0xd8 ... 0xdf:
		return it->is_memory ? WRITES_RM : 0;
	case 0x86:
	case 0x87:
		return WRITES_REG | WRITES_RM;
	default:
		return WRITES_RM;
	}
}

static unsigned written_second(const struct instruction *it)
{
	uint8_t opcode = it->opcode;

	if ((opcode & 0xf0) == 0x40 ||
	    IS_ONE_OF(opcode, "\x02\x03\x2c\x2d\x50\x93\xaf\xb6\xb7\xb8\xbc\xbd\xbe\xbf\xc5\xd7"))
		return WRITES_REG;
	if (opcode == 0xc0 || opcode == 0xc1)
		return WRITES_REG | WRITES_RM;
	if (opcode == 0xa3 || (opcode == 0xba && it->sub == 4) ||
	    IS_ONE_OF(opcode, "\x10\x12\x14\x15\x16\x28\x2a\x2e\x2f\x6e\x6f\x70\x0d\x18\x19\x1a"
			      "\x1b\x1c\x1d\x1e\x1f"))
		return 0;
	if ((opcode & 0xf0) == 0x90 || (opcode & 0xf0) == 0xa0 || (opcode & 0xf0) == 0xb0 ||
	    IS_ONE_OF(opcode, "\x00\x01\x7e\xc7\xae"))
		return WRITES_RM;
	return it->is_memory ? WRITES_RM : 0;
}

static unsigned written(const struct instruction *it)
{
	if (!it->map)
		return written_first(it);
	if (it->map == 1)
		return written_second(it);
	if (it->map == 2 && it->opcode >= 0xf0)
		return WRITES_REG | WRITES_RM | WRITES_THIRD;
	if (it->map == 3 && it->is_vector && it->opcode == 0xf0)
		return WRITES_REG;
	if (it->map == 3 && (it->opcode & 0xfc) == 0x14)
		return WRITES_RM;
	return it->is_memory ? WRITES_RM : 0;
}

/* Of eight bits, where the numbers from 4 on without REX are other registers' second byte. */
static bool is_high_byte(const struct instruction *it)
{
	if (it->has_rex || it->is_vector)
		return false;
	if (it->map)
		return it->map == 1 &&
		       ((it->opcode & 0xf0) == 0x90 || it->opcode == 0xb0 || it->opcode == 0xc0);
	return !(it->opcode & 1) && it->opcode != 0x8c && it->opcode != 0x8e && it->opcode != 0x63;
}

bool instruction_writes(const struct instruction *it, unsigned which)
{
	unsigned what;

	if (!it->has_modrm) {
		if (!it->map && (it->opcode & 0xf8) == 0x90)
			return it->low == which;
		if (!it->map && (it->opcode & 0xf0) == 0xb0)
			return it->low == which && (it->opcode >= 0xb8 || it->has_rex);
		return it->map == 1 && (it->opcode & 0xf8) == 0xc8 && it->low == which;
	}
	if (is_high_byte(it) && it->opcode != 0x8d)
		return false;
	what = written(it);
	return ((what & WRITES_REG) && it->reg == which) ||
	       ((what & WRITES_RM) && !it->is_memory && it->rm == which) ||
	       ((what & WRITES_THIRD) && it->third == which);
}

/* One number of a vector, or half of it. */
static unsigned stored_part(const struct instruction *it)
{
	if (it->map != 1)
		return 0;
	if (it->opcode == 0x11 && it->repeat)
		return it->repeat == 0xf3 ? 4 : 8;
	return IS_ONE_OF(it->opcode, "\x13\x17\x7e\xd6") ? 8 : 0;
}

unsigned instruction_stores(const struct instruction *it)
{
	if (!it->has_modrm || !it->is_memory || !(written(it) & WRITES_RM))
		return 0;
	if (stored_part(it))
		return stored_part(it);
	if (it->is_vector)
		return it->vector_size;
	if (it->map == 1 && (it->opcode == 0xae || it->opcode == 0xc7))
		return 4096; /* all registers, maybe */
	if (!it->map && (it->opcode & 0xf8) == 0xd8)
		return 128;
	if (it->map)
		return (it->opcode & 0xf0) == 0x90 ? 1 : 16;
	if (it->is_wide || it->opcode == 0x8c)
		return 8;
	return !(it->opcode & 1) ? 1 : it->is_short ? 2 : 4;
}
