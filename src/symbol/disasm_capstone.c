// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/disasm_reader.h"

#include "base/array.h"
#include "base/library.h"
#include "symbol/disasm_machine.h"
#include "symbol/riscv.h"
#include "symbol/x86.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct disasm_machine machines[] = {
	{EM_X86_64, CS_ARCH_X86, CS_MODE_64, disasm_x86, x86_length},
	{EM_386, CS_ARCH_X86, CS_MODE_32, disasm_x86, x86_length},
	{EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM, disasm_arm64, NULL},
#if CS_API_MAJOR >= 5
	{EM_RISCV, CS_ARCH_RISCV, CS_MODE_RISCV64 | CS_MODE_RISCVC, disasm_riscv, riscv_length},
#endif
};

/* Of this release: another one's structs are others. */
#define TEXT_OF(number) #number
#define SONAME(major) "libcapstone.so." TEXT_OF(major)

#define CAPSTONE_CALLS(X) X(support) X(open) X(close) X(option) X(malloc) X(free) X(disasm_iter)

struct capstone {
#define MEMBER(name) __typeof__(cs_##name) *name;
	CAPSTONE_CALLS(MEMBER)
};

static bool load(struct capstone *capstone)
{
	const struct library_call calls[] = {
#define ROW(name) {"cs_" #name, &capstone->name},
		CAPSTONE_CALLS(ROW)};

	return library_load(SONAME(CS_API_MAJOR), calls, ARRAY_LENGTH(calls));
}

static const struct disasm_machine *find_machine(int machine)
{
	for (size_t i = 0; i < ARRAY_LENGTH(machines); i++)
		if (machines[i].elf == machine)
			return &machines[i];
	return NULL;
}

const char *disasm_capstone_why_not(int machine)
{
	const struct disasm_machine *found = find_machine(machine);
	struct capstone capstone;

	if (!load(&capstone))
		return SONAME(CS_API_MAJOR) " is not here: install Capstone to see instructions";
	if (found && capstone.support((int)found->arch))
		return NULL;
	return "Capstone does not know its machine";
}

static void fill(const struct disasm_machine *machine, const cs_insn *from, struct instruction *to)
{
	*to = (struct instruction){.address = from->address, .size = (uint8_t)from->size};
	(void)snprintf(to->text, sizeof(to->text), *from->op_str ? "%-7s %.*s" : "%s",
		       from->mnemonic, (int)sizeof(to->text) - 40, from->op_str);
	/* What SKIPDATA makes of other bytes has no id and no detail. */
	if (from->id && from->detail)
		machine->classify(from, to);
}

static size_t skip(const uint8_t *bytes, size_t size, size_t offset, void *machine)
{
	const struct disasm_machine *found = machine;

	return found->length(bytes + offset, size - offset);
}

static int walk(const struct capstone *capstone, csh handle, const struct disasm_machine *machine,
		const uint8_t *bytes, size_t size, uint64_t address, disasm_take *take,
		void *context)
{
	cs_insn *insn = capstone->malloc(handle);
	struct instruction instruction;
	int ret = 0;

	if (!insn)
		return -ENOMEM;
	while (!ret && capstone->disasm_iter(handle, &bytes, &size, &address, insn)) {
		fill(machine, insn, &instruction);
		ret = take(context, &instruction);
	}
	/* Fewer bytes than the smallest instruction are left, which SKIPDATA does not take. */
	for (; !ret && size; size--) {
		instruction = (struct instruction){.address = address++, .size = 1};
		(void)snprintf(instruction.text, sizeof(instruction.text), "%-7s 0x%02x", ".byte",
			       *bytes++);
		ret = take(context, &instruction);
	}
	capstone->free(insn, 1);
	return ret;
}

int disasm_capstone_run(int machine, const uint8_t *bytes, size_t size, uint64_t address,
			disasm_take *take, void *context)
{
	const struct disasm_machine *found = find_machine(machine);
	cs_opt_skipdata skipping = {".byte", skip, (void *)found};
	struct capstone capstone;
	csh handle;
	int ret;

	if (!found || !load(&capstone) || !capstone.support((int)found->arch))
		return -ENOTSUP;
	if (capstone.open(found->arch, found->mode, &handle) != CS_ERR_OK)
		return -ENOMEM;
	(void)capstone.option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	(void)capstone.option(handle, CS_OPT_SKIPDATA, CS_OPT_ON);
	if (found->length)
		(void)capstone.option(handle, CS_OPT_SKIPDATA_SETUP, (size_t)&skipping);
	ret = walk(&capstone, handle, found, bytes, size, address, take, context);
	(void)capstone.close(&handle);
	return ret;
}
