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

void disasm_x86(const cs_insn *from, struct instruction *to)
{
	const cs_x86 *x86 = &from->detail->x86;

	to->slow = is_slow_x86(from);
	if (in_group(from, CS_GRP_CALL))
		to->flow = FLOW_CALL;
	else if (in_group(from, CS_GRP_RET) || in_group(from, CS_GRP_IRET) ||
		 from->id == X86_INS_UD2 || from->id == X86_INS_HLT)
		to->flow = FLOW_END;
	else if (in_group(from, CS_GRP_JUMP))
		to->flow = from->id == X86_INS_JMP ? FLOW_JUMP : FLOW_BRANCH;
	else
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

static enum disasm_flow flow_arm64(const cs_insn *insn)
{
	switch (insn->id) {
	case ARM64_INS_B:
		/* "b.ne" is the same instruction to Capstone. */
		return insn->mnemonic[1] == '.' ? FLOW_BRANCH : FLOW_JUMP;
	case ARM64_INS_CBZ:
	case ARM64_INS_CBNZ:
	case ARM64_INS_TBZ:
	case ARM64_INS_TBNZ:
		return FLOW_BRANCH;
	case ARM64_INS_BR:
		return FLOW_JUMP;
	case ARM64_INS_BL:
	case ARM64_INS_BLR:
		return FLOW_CALL;
	case ARM64_INS_RET:
	case ARM64_INS_ERET:
	case ARM64_INS_BRK:
		return FLOW_END;
	default:
		return FLOW_NEXT;
	}
}

void disasm_arm64(const cs_insn *from, struct instruction *to)
{
	const cs_arm64 *arm64 = &from->detail->arm64;
	const cs_arm64_op *last = &arm64->operands[arm64->op_count ? arm64->op_count - 1 : 0];

	to->slow = is_slow_arm64(from);
	to->flow = flow_arm64(from);
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
