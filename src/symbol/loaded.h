/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_SYMBOL_LOADED_H
#define PROFIL_SYMBOL_LOADED_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

/* What of an ELF file is loaded, and for which machine. */

/* Where the first loaded byte stands in the file's own addresses. */
uint64_t loaded_base(Elf *elf);

/* The machine as ELF numbers it (EM_X86_64 ...); EM_NONE when it is big-endian or RISC-V of 32
 * bits, for no such instructions are read here. */
int loaded_machine(Elf *elf);

/* The SIZE bytes that are loaded at ADDRESS, valid until elf_end(); NULL when the file does not
 * have them all. */
const uint8_t *loaded_bytes(Elf *elf, uint64_t address, size_t size);

#endif
