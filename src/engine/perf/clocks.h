/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "engine/event.h"
#include "engine/perf/rings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The clocks of a measurement: an event whose children inherit it can only be read through a ring
 * if it is bound to a CPU, so there is one for each thread there is and each CPU; whatever those
 * threads make inherits them.  Beside each stands an event that never ticks and tells of mappings,
 * names, births and ends.  All events of a kind and a CPU share a ring. */

struct perf_clock {
	int fd;
	size_t ring; /* perf_ring_of() */
};

struct perf_clocks {
	struct perf_event_attr attr; /* of those that tick */
	struct perf_clock *all;	     /* heap */
	size_t count, capacity;
	int *makers; /* heap; of each ring the event that made it, -1 without one */
	size_t cpus;
	size_t pages[RING_KINDS]; /* a ring's */
	uint32_t stack_size;	  /* of each sample's piece of stack; 0: none */
	bool switches;		  /* are told of */
	int wakeups; /* an epoll descriptor: readable when a ring has filled up by a quarter */
};

/* Whether one could be opened: on the calling thread, at once closed.  *RET_HIDDEN (or NULL): the
 * kernel keeps ticks in kernel mode to itself.  0, or -errno and what to do. */
int perf_clocks_probe(bool *ret_hidden, struct error *reterr);

/* What the clocks are to be. */
struct perf_clocks_wish {
	uint64_t period_ns;
	const struct event *event; /* in place of the clock, whatever PERIOD_NS is; NULL: none */
	uint32_t stack_size; /* bytes of stack with each sample, and its registers; 0: neither */
	bool switches;	     /* tell of each, too */
};

/* Settle on what the kernel grants; nothing is opened that ticks. */
int perf_clocks_init(struct perf_clocks *clocks, const struct perf_clocks_wish *wish,
		     struct error *reterr);

static inline bool perf_clocks_have_counts(const struct perf_clocks *clocks)
{
	return clocks->attr.sample_type & PERF_SAMPLE_READ;
}

static inline bool perf_clocks_hide_kernel(const struct perf_clocks *clocks)
{
	return clocks->attr.exclude_kernel;
}

/* Whether samples in the kernel have its callers. */
static inline bool perf_clocks_have_callers(const struct perf_clocks *clocks)
{
	return clocks->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
}

/* The bytes of a sample before its call stack. */
size_t perf_clocks_sample_size(const struct perf_clocks *clocks);

/* Open the clocks of thread TID, stopped, its rings among RINGS (which has room for all).
 * Returns 0; -ESRCH when it has ended; or another -errno with a sentence. */
int perf_clocks_open(struct perf_clocks *clocks, pid_t tid, struct perf_rings *rings,
		     struct error *reterr);

/* Switch all on or off, with what has inherited them. */
void perf_clocks_switch(struct perf_clocks *clocks, bool on);

/* The CPU time that all threads have used under these clocks, living and ended. */
uint64_t perf_clocks_counted(const struct perf_clocks *clocks);

/* How many records of these clocks found RING full; 0 before Linux 6.0, which does not tell. */
uint64_t perf_clocks_lost(const struct perf_clocks *clocks, size_t ring);

void perf_clocks_done(struct perf_clocks *clocks);
