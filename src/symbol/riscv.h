/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/disasm.h"

/* Where a 64-bit RISC-V instruction ends and where it goes, by its bits: these the ISA manual fixes
 * for good, while each program that writes instructions as text has its own names and aliases for
 * them, and its own idea of what the operand of a jump is.  Pure functions. */

/* The bytes of the instruction at BYTES, 2 to 22; or SIZE, which is not 0, when it is cut short. */
uint8_t riscv_length(const uint8_t *bytes, size_t size);

/* Set flow, slow, target and has_target of INSTRUCTION, whose address and size are set, and whose
 * bytes are BYTES. */
void riscv_classify(const uint8_t *bytes, struct instruction *instruction);
