/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/* Where the program was when a signal came: CONTEXT is the handler's third argument.
 * Signal-safe: yes.  Thread-safe: yes. */
uintptr_t pc_of_context(const void *context);

/* The program counter alone, as perf_event_open(2) has it in sample_regs_user. */
uint64_t pc_sampled_registers(void);
