/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/disasm.h"

/* Who reads instructions, behind disasm.h, whose contract these keep: Capstone, or disasm_none.c in
 * a build without it. */
const char *disasm_capstone_why_not(int machine);
int disasm_capstone_run(int machine, const uint8_t *bytes, size_t size, uint64_t address,
			disasm_take *take, void *context);

/* And objdump of binutils, of 64-bit RISC-V alone, as a process of its own: it knows every machine
 * and has a contract, its output, while the library it is made of has none from one version to the
 * next, and another licence. */
const char *disasm_objdump_why_not(void);
int disasm_objdump_run(const uint8_t *bytes, size_t size, uint64_t address, disasm_take *take,
		       void *context);
