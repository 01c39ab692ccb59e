/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes to instructions of x86-64, i386, aarch64 and riscv64, by Capstone; riscv64 by objdump where
 * Capstone is too old for it or absent. */

/* Where control goes behind an instruction. */
enum disasm_flow {
	FLOW_NEXT,   /* to the one below */
	FLOW_BRANCH, /* to the target or to the one below */
	FLOW_JUMP,   /* to the target, or somewhere unknown */
	FLOW_CALL,   /* away and back to the one below */
	FLOW_END,    /* away for good: a return, a trap */
};

#define INSTRUCTION_TEXT 96

struct instruction {
	uint64_t address;
	uint64_t target; /* of a jump, branch or call, where has_target */
	uint8_t size;	 /* bytes */
	enum disasm_flow flow;
	bool has_target;
	/* May keep the processor waiting much longer than others: it reads memory, divides, takes a
	 * root, is atomic, a fence, a string operation or a system call. */
	bool slow;
	char text[INSTRUCTION_TEXT]; /* "mov     rax, rbx" */
};

/* Why instructions of MACHINE (EM_X86_64 ...) cannot be read here, in words; NULL when they can. */
const char *disasm_why_not(int machine);

/* Read the SIZE bytes at BYTES, which stand at ADDRESS, as instructions of MACHINE.  Calls TAKE
 * once for each, in order, with an instruction that is valid during the call; together they have
 * every byte: what is no instruction is one of ".byte".  TAKE returns 0, or a negative errno that
 * ends the walk and is returned.  Returns 0, -ENOMEM, -ENOTSUP (disasm_why_not() has the words),
 * or, before TAKE is called, -EIO when the program that should read them failed.  May start a
 * process. */
typedef int disasm_take(void *context, const struct instruction *instruction);
int disasm_run(int machine, const uint8_t *bytes, size_t size, uint64_t address, disasm_take *take,
	       void *context);
