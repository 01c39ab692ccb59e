// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/disasm.h"

#include "symbol/disasm_reader.h"

#include <elf.h>
#include <errno.h>

/* RISC-V is what Capstone may not know: older ones than 5 do not. */

const char *disasm_why_not(int machine)
{
	const char *why = disasm_capstone_why_not(machine);

	return why && machine == EM_RISCV ? disasm_objdump_why_not() : why;
}

int disasm_run(int machine, const uint8_t *bytes, size_t size, uint64_t address, disasm_take *take,
	       void *context)
{
	if (!disasm_capstone_why_not(machine))
		return disasm_capstone_run(machine, bytes, size, address, take, context);
	if (!disasm_why_not(machine))
		return disasm_objdump_run(bytes, size, address, take, context);
	return -ENOTSUP;
}
