// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/riscv.h"

#include <endian.h>
#include <string.h>

/* "The RISC-V Instruction Set Manual, Volume I: Unprivileged ISA": lengths are of chapter 1.5,
 * opcodes of "RV32/64G Instruction Set Listings", compressed ones of "RVC Instruction Set
 * Listings", and which jumps are calls and returns of the hints for a return-address stack. */

enum {
	OPCODE_LOAD = 0x03,
	OPCODE_LOAD_FP = 0x07, /* and of vectors */
	OPCODE_MISC_MEM = 0x0f,
	OPCODE_AMO = 0x2f,
	OPCODE_OP = 0x33,
	OPCODE_OP_32 = 0x3b,
	OPCODE_OP_FP = 0x53,
	OPCODE_BRANCH = 0x63,
	OPCODE_JALR = 0x67,
	OPCODE_JAL = 0x6f,
	OPCODE_SYSTEM = 0x73,
};

/* A compressed one's, by the lowest two and the highest three bits. */
#define COMPRESSED(quadrant, funct3) ((uint32_t)(funct3) << 2 | (quadrant))

enum { REGISTER_ZERO, REGISTER_RA, REGISTER_T0 = 5 };

static uint32_t bits(uint32_t word, unsigned high, unsigned low)
{
	return word >> low & ((2u << (high - low)) - 1);
}

/* VALUE, a number of COUNT bits with a sign. */
static uint64_t extend(uint32_t value, unsigned count)
{
	uint64_t sign = UINT64_C(1) << (count - 1);

	return (value ^ sign) - sign;
}

static uint16_t half_at(const uint8_t *bytes)
{
	uint16_t half;

	memcpy(&half, bytes, sizeof(half));
	return le16toh(half);
}

static uint8_t length_of(uint16_t half)
{
	if (bits(half, 1, 0) != 3)
		return 2;
	if (bits(half, 4, 2) != 7)
		return 4;
	if (!bits(half, 5, 5))
		return 6;
	if (!bits(half, 6, 6))
		return 8;
	/* 80 bits and more; seven is reserved for what is 192 bits and longer. */
	return bits(half, 14, 12) == 7 ? 2 : (uint8_t)(10 + 2 * bits(half, 14, 12));
}

uint8_t riscv_length(const uint8_t *bytes, size_t size)
{
	uint8_t length = size < 2 ? 1 : length_of(half_at(bytes));

	return length <= size ? length : (uint8_t)size;
}

/* ---- where it goes ---- */

static void set_jump(struct instruction *to, enum disasm_flow flow, uint64_t distance)
{
	to->flow = flow;
	to->has_target = true;
	to->target = to->address + distance;
}

static uint64_t branch_distance(uint32_t word)
{
	return extend(bits(word, 31, 31) << 12 | bits(word, 7, 7) << 11 | bits(word, 30, 25) << 5 |
			      bits(word, 11, 8) << 1,
		      13);
}

static uint64_t jal_distance(uint32_t word)
{
	return extend(bits(word, 31, 31) << 20 | bits(word, 19, 12) << 12 |
			      bits(word, 20, 20) << 11 | bits(word, 30, 21) << 1,
		      21);
}

/* A jump through the link register, or through the other one (t0) that prologues out of line use,
 * is a return; beside what it holds it is one to elsewhere. */
static enum disasm_flow through(uint32_t to, uint32_t from, bool is_beside)
{
	if (to != REGISTER_ZERO)
		return FLOW_CALL;
	if (!is_beside && (from == REGISTER_RA || from == REGISTER_T0))
		return FLOW_END;
	return FLOW_JUMP;
}

/* ebreak, uret, sret, mret, mnret; and "unimp", which writes a counter that is for reading. */
static bool ends(uint32_t word)
{
	switch (word) {
	case 0x00100073:
	case 0x00200073:
	case 0x10200073:
	case 0x30200073:
	case 0x70200073:
	case 0xc0001073:
		return true;
	default:
		return false;
	}
}

static void go_word(uint32_t word, struct instruction *to)
{
	switch (bits(word, 6, 0)) {
	case OPCODE_BRANCH:
		set_jump(to, FLOW_BRANCH, branch_distance(word));
		break;
	case OPCODE_JAL:
		set_jump(to, bits(word, 11, 7) == REGISTER_ZERO ? FLOW_JUMP : FLOW_CALL,
			 jal_distance(word));
		break;
	case OPCODE_JALR:
		to->flow = through(bits(word, 11, 7), bits(word, 19, 15), bits(word, 31, 20) != 0);
		break;
	case OPCODE_SYSTEM:
		if (ends(word))
			to->flow = FLOW_END;
		break;
	}
}

static uint64_t compressed_jump_distance(uint16_t half)
{
	return extend(bits(half, 12, 12) << 11 | bits(half, 8, 8) << 10 | bits(half, 10, 9) << 8 |
			      bits(half, 6, 6) << 7 | bits(half, 7, 7) << 6 |
			      bits(half, 2, 2) << 5 | bits(half, 11, 11) << 4 |
			      bits(half, 5, 3) << 1,
		      12);
}

static uint64_t compressed_branch_distance(uint16_t half)
{
	return extend(bits(half, 12, 12) << 8 | bits(half, 6, 5) << 6 | bits(half, 2, 2) << 5 |
			      bits(half, 11, 10) << 3 | bits(half, 4, 3) << 1,
		      9);
}

/* Those of c.mv and c.add that have no second register: c.jr, c.jalr and c.ebreak. */
static void go_register(uint16_t half, struct instruction *to)
{
	uint32_t from = bits(half, 11, 7);

	if (bits(half, 6, 2))
		return;
	if (from)
		to->flow = through(bits(half, 12, 12), from, /* is_beside= */ false);
	else if (bits(half, 12, 12))
		to->flow = FLOW_END;
}

static void go_half(uint16_t half, struct instruction *to)
{
	switch (COMPRESSED(bits(half, 1, 0), bits(half, 15, 13))) {
	case COMPRESSED(0, 0):
		/* All bits zero is what never will be an instruction. */
		if (!half)
			to->flow = FLOW_END;
		break;
	case COMPRESSED(1, 5):
		set_jump(to, FLOW_JUMP, compressed_jump_distance(half));
		break;
	case COMPRESSED(1, 6):
	case COMPRESSED(1, 7):
		set_jump(to, FLOW_BRANCH, compressed_branch_distance(half));
		break;
	case COMPRESSED(2, 4):
		go_register(half, to);
		break;
	}
}

/* ---- whether it is slow ---- */

static bool is_slow_word(uint32_t word)
{
	switch (bits(word, 6, 0)) {
	case OPCODE_LOAD:
	case OPCODE_LOAD_FP:
	case OPCODE_MISC_MEM:
	case OPCODE_AMO:
	case OPCODE_SYSTEM:
		return true;
	case OPCODE_OP:
	case OPCODE_OP_32:
		/* div, divu, rem, remu; below 4 they multiply */
		return bits(word, 31, 25) == 1 && bits(word, 14, 12) >= 4;
	case OPCODE_OP_FP:
		/* fdiv, fsqrt */
		return bits(word, 31, 27) == 0x03 || bits(word, 31, 27) == 0x0b;
	default:
		return false;
	}
}

static bool is_slow_half(uint16_t half)
{
	switch (COMPRESSED(bits(half, 1, 0), bits(half, 15, 13))) {
	case COMPRESSED(0, 1): /* c.fld, c.lw, c.ld */
	case COMPRESSED(0, 2):
	case COMPRESSED(0, 3):
	case COMPRESSED(2, 1): /* the same from the stack */
	case COMPRESSED(2, 2):
	case COMPRESSED(2, 3):
		return true;
	case COMPRESSED(0, 4): /* c.lbu, c.lhu, c.lh */
		return !bits(half, 12, 11);
	default:
		return false;
	}
}

void riscv_classify(const uint8_t *bytes, struct instruction *instruction)
{
	uint32_t word;

	if (instruction->size == 2) {
		go_half(half_at(bytes), instruction);
		instruction->slow = is_slow_half(half_at(bytes));
	} else if (instruction->size == 4) {
		word = half_at(bytes) | (uint32_t)half_at(bytes + 2) << 16;
		go_word(word, instruction);
		/* A trap's way is not one that anything waits for. */
		instruction->slow = instruction->flow != FLOW_END && is_slow_word(word);
	}
}
