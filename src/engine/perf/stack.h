/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/engine.h"
#include "engine/perf/contexts.h"
#include "engine/perf/maps.h"
#include "engine/perf/tables.h"
#include "unwind/callers.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The call stack of a sample: from the registers and the piece of stack that the kernel wrote with
 * it to one number, its calling context.  Nothing of it is kept, and walking allocates nothing but
 * new contexts and tables. */

/* The registers that a walk begins with (perf_regs.h); 0: on this machine nothing is known of
 * stacks. */
uint64_t perf_stack_registers(void);

/* What a sample holds behind its fixed part. */
struct perf_stack {
	const uint64_t *callers; /* the kernel's, as its chain has them, from the sample's own on */
	uint64_t caller_count;
	uint64_t abi;		   /* PERF_SAMPLE_REGS_ABI_* */
	const uint64_t *registers; /* those asked for, in order of their numbers */
	const uint8_t *piece;	   /* the user's stack from its pointer on */
	uint64_t piece_size, piece_room;
};

/* What of RECORD lies behind START bytes of it.  HAS_CALLERS: it has the kernel's chain.
 * A record that ends early, which the kernel does not write, has nothing. */
struct perf_stack perf_stack_of(const struct perf_event_header *record, size_t start,
				bool has_callers);

struct perf_stacks {
	struct perf_tables tables;
	struct perf_contexts contexts;
	struct unwind_call *frames; /* heap: MOST of them; NULL: stacks are not asked for */
	uint32_t most;
	bool no_fold;
	bool has_callers; /* samples have the kernel's chain */
};

/* Whose stack it is. */
struct perf_stack_owner {
	struct perf_processes *processes;
	struct perf_process *process; /* NULL: not known */
	uint32_t task;		      /* that its anonymous code goes by */
	bool in_kernel, hide_kernel;
};

/* Room for what OPTIONS say.  Returns 0 or -ENOMEM. */
int perf_stacks_init(struct perf_stacks *stacks, const struct engine_options *options);

/* Walk STACK: sets what it came to, the number of the context that called the sample's own address
 * (the index and 1; 0: none is known) and why it ends there, in CELL. */
void perf_stacks_walk(struct perf_stacks *stacks, const struct perf_stack *stack,
		      const struct perf_stack_owner *owner, struct histogram_cell *cell);

void perf_stacks_done(struct perf_stacks *stacks);
