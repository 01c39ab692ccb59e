/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/timer/inside/ledger.h"
#include "engine/inside/tally.h"

#include <signal.h>

/* The signal that brings a timer's ticks, and its handler: put on for the first measurement of this
 * process, taken off after the last. */

struct tick_signal {
	int number;
	uint64_t cookie; /* what the timers' signals must carry, but for their line */
	bool unblocked;	 /* by fork_prepare; to be set right again */
};

/* From now on signals of NUMBER with the cookie of a line of LEDGER count in TALLY what that line
 * is due. */
int tick_signal_take(struct tick_signal *signal, struct tally *tally, const struct ledger *ledger,
		     struct error *reterr);

/* The signal while there are measurements, else 0. */
int tick_signal_number(void);

/* What the signals of the timer whose thread has LINE must carry. */
void *tick_signal_cookie(const struct tick_signal *signal, uint32_t line);

/* After the timers are deleted.  On return no handler looks at tally or ledger any more. */
void tick_signal_release(struct tick_signal *signal);

/* Around fork(2), in the forking thread: without it signals would make the kernel begin the fork
 * again and again.  On return of fork_prepare no cell is written until one of the others: ticks of
 * other threads wait, and are counted with the next one.  In the child the timers are no more, and
 * SIGNAL is released. */
void tick_signal_fork_prepare(struct tick_signal *signal);
void tick_signal_fork_parent(struct tick_signal *signal);
void tick_signal_fork_child(struct tick_signal *signal);
