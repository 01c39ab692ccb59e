/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BENCH_CALL_H
#define BENCH_CALL_H

#include "work.h"

/* One way for a program to measure itself, over the text of work.h.  One const table each. */

enum { CALL_CELLS = WORK_COPIES * WORK_COPY_SIZE / 2 };

struct call {
	const char *name;

	/* Count at RATE from now on.  Exits with 77 and a reason when that cannot be done here. */
	void (*start)(unsigned long rate);

	/* No more.  RET_COUNTS[i] is what copy i of the work got.  Returns all ticks, those
	 * elsewhere too where the call knows of them. */
	uint64_t (*stop)(uint64_t ret_counts[static WORK_COPIES]);
};

extern const struct call call_none, call_kernel, call_perf, call_timer, call_libc, call_papi;

/* Exit with 77 and "NAME: WHY". */
_Noreturn void call_refuse(const char *name, const char *why);

/* Put CELLS of BITS, one for two bytes of the text, together for each copy. Returns their sum. */
uint64_t call_sum(const void *cells, unsigned bits, uint64_t ret_counts[static WORK_COPIES]);

#endif
