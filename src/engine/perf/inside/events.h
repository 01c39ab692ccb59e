/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "engine/perf/inside/ring.h"
#include "engine/inside/space.h"
#include "engine/inside/threads.h"

/* The perf events of a measurement, and their rings.  A tick in kernel mode is seen too, and
 * charged to where the program has entered the kernel, if the kernel lets this process see its own:
 * with perf_event_paranoid of 1 or less, or CAP_PERFMON; else the kernel drops it without a word.
 *
 * An event whose children inherit it can only be
 * read through a ring if it is bound to a CPU, so there is one for each thread and CPU, and one
 * ring for each CPU, which the events share. */

struct perf_events {
	struct space descriptors; /* of int */
	size_t count;
	struct space rings; /* of struct ring, by CPU; one for a single thread */
	size_t ring_count;
	bool have_counts; /* samples say what their event has counted: Linux 6.12, or one thread */
};

/* Whether one could be opened: on the calling thread, at once closed.  0 or -errno. */
int perf_events_probe(uint64_t period_ns, struct error *reterr);

/* Ticks of TID only, wherever it runs. */
int perf_events_open_one(struct perf_events *events, pid_t tid, uint64_t period_ns,
			 struct error *reterr);

/* Ticks of THREADS and all threads that they make. */
int perf_events_open_all(struct perf_events *events, const struct thread_list *threads,
			 uint64_t period_ns, struct error *reterr);

/* On return nothing more comes into the rings. */
void perf_events_disable(struct perf_events *events);

/* READER's HAS_COUNT must be EVENTS' HAVE_COUNTS. */
void perf_events_drain(struct perf_events *events, const struct ring_reader *reader);

/* Only in the thread that has opened them, for the descriptors are its own. */
void perf_events_close(struct perf_events *events);

/* In the child of a fork, which has neither descriptors nor rings. */
void perf_events_forget(struct perf_events *events);
