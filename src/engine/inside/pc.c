// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/pc.h"

#include <ucontext.h>

uintptr_t pc_of_context(const void *context)
{
	const ucontext_t *user = context;

#if defined(__x86_64__)
	return (uintptr_t)user->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uintptr_t)user->uc_mcontext.pc;
#elif defined(__riscv)
	return (uintptr_t)user->uc_mcontext.__gregs[REG_PC];
#else
#error "say where this processor's context has its program counter"
#endif
}
