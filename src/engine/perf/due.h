/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* How many ticks are due by what a thread's event has counted.  The kernel writes none for a tick
 * in kernel mode where it keeps that to itself, nor for periods that pass while an interrupt is
 * late, nor when a ring is full; but each sample says how much its event has counted.  One entry
 * for each thread that lives and each CPU it ran on.  The event's own number is not asked: of the
 * first sample behind lost ones the kernel gives that of the event's parent. */

struct perf_due {
	uint64_t period; /* nanoseconds, or events, as what is counted */
	struct perf_due_entry {
		uint32_t tid, cpu; /* tid 0: none */
		uint32_t pid;
		uint64_t ticks; /* accounted for so far */
	} * entries;		/* heap */
	size_t room, count;	/* room: a power of two, or 0 */
};

/* Whose event it is. */
struct perf_due_key {
	uint32_t pid, tid, cpu;
};

/* The event of KEY has counted COUNTED.  Returns the ticks due since the last time, 0 too: a
 * tick that comes on time after one that came late was counted with that one. */
uint64_t perf_due_take(struct perf_due *due, struct perf_due_key key, uint64_t counted);

/* KEY's thread has ended, or another goes by its number: it has counted nothing. */
void perf_due_forget(struct perf_due *due, struct perf_due_key key);

/* Process PID has executed a program by a thread that was not its first, and goes by the first
 * one's number from now on; all others have ended. */
void perf_due_execute(struct perf_due *due, uint32_t pid);

void perf_due_done(struct perf_due *due);
