/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/disasm.h"

#include <capstone/capstone.h>

/* What machines differ in.  A new one is a function here and a row in
 * disasm_capstone.c. */
struct disasm_machine {
	int elf; /* EM_X86_64 ... */
	cs_arch arch;
	cs_mode mode;
	/* Say where FROM goes and whether it is slow: flow, target, has_target and slow of TO,
	 * which come as those of an ordinary instruction. */
	void (*classify)(const cs_insn *from, struct instruction *to);
	/* How many of the SIZE bytes at BYTES are one instruction that Capstone does not know; NULL
	 * where it can be told from its own guess. */
	uint8_t (*length)(const uint8_t *bytes, size_t size);
};

void disasm_x86(const cs_insn *from, struct instruction *to);
void disasm_arm64(const cs_insn *from, struct instruction *to);
void disasm_riscv(const cs_insn *from, struct instruction *to);
