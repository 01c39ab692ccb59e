// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/disasm_machine.h"

#include "base/array.h"
#include "symbol/riscv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Capstone's groups differ between its versions and machines; what is asked of them here is only
 * what all have.  Slow instructions are told by their names, which the makers' manuals fix. */

static bool in_group(const cs_insn *insn, uint8_t group)
{
	for (uint8_t i = 0; i < insn->detail->groups_count; i++)
		if (insn->detail->groups[i] == group)
			return true;
	return false;
}

static bool begins(const char *name, const char *const *prefixes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static void set_target(struct instruction *to, uint64_t target)
{
	to->has_target = true;
	to->target = target;
}

/* ---- x86 ---- */

static bool reads_memory_x86(const cs_insn *insn)
{
	const cs_x86 *x86 = &insn->detail->x86;

	if (insn->id == X86_INS_LEA || insn->id == X86_INS_NOP)
		return false;
	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM && x86->operands[i].access & CS_AC_READ)
			return true;
	return false;
}

/* "lock cmpxchg" and "rep movsb" have their prefix in front of the name. */
static bool is_slow_x86(const cs_insn *insn)
{
	static const char *const slow[] = {
		"div",	 "idiv",  "vdiv",    "fdiv",	 "sqrt",   "vsqrt",  "fsqrt",
		"lock",	 "rep",	  "xchg",    "mfence",	 "lfence", "sfence", "cpuid",
		"rdtsc", "pause", "syscall", "sysenter", "int",
	};

	return begins(insn->mnemonic, slow, ARRAY_LENGTH(slow)) || reads_memory_x86(insn);
}

static enum disasm_flow flow_x86(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_UD2:
	case X86_INS_HLT:
		return FLOW_END;
	case X86_INS_JMP:
	case X86_INS_LJMP:
		return FLOW_JUMP;
	/* In no group of Capstone 4. */
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
		return FLOW_BRANCH;
	}
	if (in_group(insn, CS_GRP_CALL))
		return FLOW_CALL;
	if (in_group(insn, CS_GRP_RET) || in_group(insn, CS_GRP_IRET))
		return FLOW_END;
	return in_group(insn, CS_GRP_JUMP) ? FLOW_BRANCH : FLOW_NEXT;
}

void disasm_x86(const cs_insn *from, struct instruction *to)
{
	const cs_x86 *x86 = &from->detail->x86;

	to->slow = is_slow_x86(from);
	to->flow = flow_x86(from);
	if (to->flow == FLOW_NEXT)
		return;
	if (to->flow != FLOW_END && x86->op_count && x86->operands[0].type == X86_OP_IMM)
		set_target(to, (uint64_t)x86->operands[0].imm);
}

/* ---- aarch64 ---- */

static bool is_slow_arm64(const cs_insn *insn)
{
	static const char *const slow[] = {
		"ld",	"sdiv", "udiv", "fdiv", "fsqrt", "cas", "swp",	"stx",
		"stlx", "dmb",	"dsb",	"isb",	"svc",	 "mrs", "prfm",
	};

	return begins(insn->mnemonic, slow, ARRAY_LENGTH(slow));
}

/* By name: "b.ne" has the id of "b", and what is newer than a Capstone has none. */
static enum disasm_flow flow_arm64(const char *name)
{
	static const struct {
		const char *name;
		enum disasm_flow flow;
	} rows[] = {
		{"b", FLOW_JUMP},      {"br", FLOW_JUMP},     {"braa", FLOW_JUMP},
		{"braaz", FLOW_JUMP},  {"brab", FLOW_JUMP},   {"brabz", FLOW_JUMP},
		{"cbz", FLOW_BRANCH},  {"cbnz", FLOW_BRANCH}, {"tbz", FLOW_BRANCH},
		{"tbnz", FLOW_BRANCH}, {"bl", FLOW_CALL},     {"blr", FLOW_CALL},
		{"blraa", FLOW_CALL},  {"blraaz", FLOW_CALL}, {"blrab", FLOW_CALL},
		{"blrabz", FLOW_CALL}, {"ret", FLOW_END},     {"retaa", FLOW_END},
		{"retab", FLOW_END},   {"eret", FLOW_END},    {"eretaa", FLOW_END},
		{"eretab", FLOW_END},  {"brk", FLOW_END},     {"udf", FLOW_END},
	};

	if (!strncmp(name, "b.", 2) || !strncmp(name, "bc.", 3))
		return FLOW_BRANCH;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		if (!strcmp(name, rows[i].name))
			return rows[i].flow;
	return FLOW_NEXT;
}

void disasm_arm64(const cs_insn *from, struct instruction *to)
{
	const cs_arm64 *arm64 = &from->detail->arm64;
	const cs_arm64_op *last = &arm64->operands[arm64->op_count ? arm64->op_count - 1 : 0];

	to->slow = is_slow_arm64(from);
	to->flow = flow_arm64(from->mnemonic);
	if (to->flow == FLOW_NEXT || to->flow == FLOW_END)
		return;
	if (arm64->op_count && last->type == ARM64_OP_IMM)
		set_target(to, (uint64_t)last->imm);
}

/* ---- riscv64 ---- */

/* Capstone shows how far a jump goes, and for other machines where it goes. */
static void show_target(struct instruction *to)
{
	char *last = strrchr(to->text, ' ');

	if (last)
		(void)snprintf(last + 1, sizeof(to->text) - (size_t)(last + 1 - to->text),
			       "0x%" PRIx64, to->target);
}

void disasm_riscv(const cs_insn *from, struct instruction *to)
{
	riscv_classify(from->bytes, to);
	if (to->has_target)
		show_target(to);
}
