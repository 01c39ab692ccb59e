/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An instruction of x86-64, taken apart as far as following the stack needs. */

enum instruction_register { REGISTER_SP = 4, REGISTER_BP = 5, REGISTER_NONE = 0xff };

struct instruction {
	uint8_t length;
	uint8_t map; /* 0; 1: 0F; 2: 0F 38; 3: 0F 3A; larger ones have vectors only */
	uint8_t opcode;
	bool is_vector; /* by VEX or EVEX: never in map 0 */
	uint8_t vector_size;
	uint8_t repeat; /* the prefix F2 or F3, which tells instructions apart; or 0 */
	bool is_wide;	/* REX.W */
	bool has_rex;
	bool is_short; /* of 16 bits */
	bool has_modrm;
	bool is_memory;
	uint8_t reg, rm; /* of modrm, 0 to 15; RM of memory means nothing */
	uint8_t sub;	 /* the opcode's extension: REG without REX */
	uint8_t third;	 /* the register that VEX names */
	uint8_t base;	 /* of memory without an index, or REGISTER_NONE */
	uint8_t low;	 /* the register in the opcode's lowest bits */
	int32_t displacement;
	int64_t immediate;
};

/* Take apart what SIZE bytes at BYTES begin with.  False: it is cut off, or there is no such
 * instruction.  Pure function. */
bool instruction_read(const uint8_t *bytes, size_t size, struct instruction *ret);

/* Whether it may write WHICH, a register whose number is at most 7.  What is not understood may.
 * What it does to %rsp by push, pop, call and return does not count. */
bool instruction_writes(const struct instruction *instruction, unsigned which);

/* The bytes, at most, that it writes to what it has as an operand in memory. */
unsigned instruction_stores(const struct instruction *instruction);
