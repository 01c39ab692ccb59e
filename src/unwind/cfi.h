/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/entries.h"
#include "unwind/table.h"

/* The machine whose registers rules speak of: x86-64's or i386's numbers in DWARF. */
struct unwind_machine {
	uint32_t word_size;
	uint8_t sp, bp, bx, ip;
};

/* What machine an ELF file's e_machine is, or NULL where there are no tables for it. */
const struct unwind_machine *unwind_machine(unsigned elf_machine);

/* From ADDRESS on RULE holds.  The return address is UNWIND_SAME in it where the code is not
 * understood, and UNWIND_LOST where there is no caller.  Returns 0 or a negative errno other than
 * -EINVAL, which ends the reading. */
typedef int unwind_row_fn(void *context, uint64_t address, const struct unwind_rule *rule);

/* The rules of ENTRY, in order of address, the first at its start.  Returns 0 or what TAKE did. */
int unwind_rows(const struct unwind_machine *machine, const struct unwind_entry *entry,
		unwind_row_fn *take, void *context);
