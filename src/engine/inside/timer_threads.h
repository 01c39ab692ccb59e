/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_ENGINE_INSIDE_TIMER_THREADS_H
#define PROFIL_ENGINE_INSIDE_TIMER_THREADS_H

#include "base/error.h"
#include "engine/inside/threads.h"
#include "engine/inside/tick_signal.h"

/* A timer for each thread, on that thread's CPU clock. */

struct timer_threads {
	struct space space; /* of struct thread_timer, by rising tid */
	size_t count;
	const struct tick_signal *signal;
	uint64_t period_ns;
};

/* When a thread's clock began to be ours: at its birth, or now. */
enum timer_from { TIMER_FROM_NOW, TIMER_FROM_BIRTH };

/* From its birth: what the thread has had of CPU time before its timer comes with the first signal
 * as its overrun.  A thread that is no more, or has one, is no error: then nothing is done. */
int timer_threads_add(struct timer_threads *timers, pid_t tid, enum timer_from from,
		      struct error *reterr);

/* Delete the timers of threads that are not in PRESENT. */
void timer_threads_keep(struct timer_threads *timers, const struct thread_list *present);

void timer_threads_done(struct timer_threads *timers);

/* In the child of a fork, which inherits no timer. */
void timer_threads_forget(struct timer_threads *timers);

#endif
