/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* libprofil's clock over the text of all objects: starts anew with what is loaded now when the
 * loader has done something.  None of it is thread-safe but what says so. */

/* All cells from 0.  PERIOD_NS of CPU time between ticks; ENGINE NULL: the best that costs no
 * privilege.  Is on when it returns 0; else -errno and REASON. */
int clock_start(uint64_t period_ns, const char *engine, struct error *reason);

/* With the objects as they are now; keeps being on or off. */
void clock_renew(void);

void clock_control(int on);

/* All cells are exact on return. */
void clock_stop(void);

/* In the child of a fork: account and cells begin at 0. */
void clock_forked(void);

/* Ticks per second, as the clock really has it; 0: it was never started.
 * Signal-safe: yes.  Thread-safe: yes. */
unsigned clock_hertz(void);

/* Nanoseconds of a tick, and who counts: "perf"; "": nobody does. */
uint64_t clock_period(void);
const char *clock_engine(void);

/* All so far, and of these the ones at addresses of no object and those that a clock has lost; and
 * besides, what was due by CPU time and no clock showed. */
struct clock_account {
	uint64_t ticks, outside, lost, unseen;
	uint64_t cpu_ns; /* of all threads while it was on */
};
void clock_account(struct clock_account *ret_account);

/* The same as it was at clock_note(), which is to be called now and then, but for the CPU time,
 * which is of now.  Signal-safe: yes.  Thread-safe: yes. */
void clock_noted(struct clock_account *ret_account);
void clock_note(void);
