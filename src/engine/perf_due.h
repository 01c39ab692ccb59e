/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_ENGINE_PERF_DUE_H
#define PROFIL_ENGINE_PERF_DUE_H

#include <stddef.h>
#include <stdint.h>

/* How many ticks are due by what an event itself has counted.  The kernel writes none for a tick in
 * kernel mode where it keeps that to itself, nor for periods that pass while an interrupt is late,
 * nor when a ring is full; but each sample says how long its event has counted, and so does the end
 * of each thread.  One entry for each event that lives: a thread on a CPU. */

struct perf_due {
	uint64_t period_ns;
	struct perf_due_entry {
		uint64_t event; /* the kernel's number of it, never used twice; 0: none */
		uint64_t ticks; /* accounted for so far */
	} * entries;		/* heap */
	size_t room, count;	/* room: a power of two, or 0 */
};

/* EVENT has counted COUNTED_NS.  Returns the ticks due since the last time, 0 too: a tick that
 * comes on time after one that came late was counted with that one. */
uint64_t perf_due_take(struct perf_due *due, uint64_t event, uint64_t counted_ns);

/* The same for the last time: EVENT is forgotten. */
uint64_t perf_due_end(struct perf_due *due, uint64_t event, uint64_t counted_ns);

void perf_due_done(struct perf_due *due);

#endif
