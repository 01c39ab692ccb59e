// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/pc.h"

#include <asm/perf_regs.h>
#include <ucontext.h>

uintptr_t pc_of_context(const void *context)
{
	const ucontext_t *user = context;

#if defined(__x86_64__)
	return (uintptr_t)user->uc_mcontext.gregs[REG_RIP];
#elif defined(__i386__)
	return (uintptr_t)user->uc_mcontext.gregs[REG_EIP];
#elif defined(__aarch64__)
	return (uintptr_t)user->uc_mcontext.pc;
#elif defined(__riscv)
	return (uintptr_t)user->uc_mcontext.__gregs[REG_PC];
#else
#error "say where this processor's context has its program counter"
#endif
}

uint64_t pc_sampled_registers(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return 1ULL << PERF_REG_X86_IP;
#elif defined(__aarch64__)
	return 1ULL << PERF_REG_ARM64_PC;
#elif defined(__riscv)
	return 1ULL << PERF_REG_RISCV_PC;
#endif
}
