/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "engine/timer/inside/ledger.h"
#include "engine/inside/threads.h"
#include "engine/timer/inside/tick_signal.h"

/* A timer for each thread, on that thread's CPU clock, and its line in the ledger. */

struct timer_threads {
	struct space space; /* of struct thread_timer, by rising tid */
	size_t count;
	struct space freed; /* of uint32_t: lines whose threads are no more */
	size_t freed_count;
	uint32_t lines;				    /* that there are, freed ones too */
	uint64_t added __attribute__((aligned(8))); /* threads that have had a timer; atomic */
	struct ledger ledger;
	const struct tick_signal *signal;
	uint64_t dice; /* where the first ticks lie is drawn from it */
};

/* PERIOD_NS of CPU time.  SIGNAL must stay; it is to be taken for TIMERS' ledger, before the first
 * thread is added. */
void timer_threads_init(struct timer_threads *timers, uint64_t period_ns,
			const struct tick_signal *signal);

/* When a thread's clock began to be ours: at its birth, or now. */
enum timer_from { TIMER_FROM_NOW, TIMER_FROM_BIRTH };

/* The first tick is due within a period, uniformly: many short lives have together what is due.
 * From its birth: what the thread has had of CPU time before its timer comes with the first signal.
 * A thread that is no more, or has one, is no error: then nothing is done. */
int timer_threads_add(struct timer_threads *timers, pid_t tid, enum timer_from from,
		      struct error *reterr);

/* Delete the timers of threads that are not in PRESENT and have ended, and of those whose number
 * another one has now. */
void timer_threads_keep(struct timer_threads *timers, const struct thread_list *present);

/* No more signals are sent; the ledger stays for those on their way. */
void timer_threads_delete(struct timer_threads *timers);

/* When the signal has been released, or in the child of a fork, which inherits no timer. */
void timer_threads_done(struct timer_threads *timers);
