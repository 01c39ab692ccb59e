/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "engine/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The clock: perf events that tick, one per CPU or one that a task's children inherit. */

struct clocks {
	int *fds;  /* heap */
	int *cpus; /* heap: of each its CPU, -1: a task's */
	size_t count;
	uint64_t period_ns;
	const struct event *event; /* that is counted instead; NULL: none */
	bool idle;		   /* they tick where nothing runs, too */
};

/* What clocks are to be opened. */
struct clocks_wish {
	uint64_t period_ns;
	const struct event *event; /* or of this, whatever PERIOD_NS is; NULL: of the time */
	bool idle;		   /* of the machine's: they tick on a CPU that is idle, too */
};

/* Open one clock per online CPU, stopped. */
int clocks_open_machine(struct clocks *ret_clocks, const struct clocks_wish *wish,
			struct error *reterr);

/* Open the one clock of task PID, inherited by what it forks. */
int clocks_open_task(struct clocks *ret_clocks, pid_t pid, const struct clocks_wish *wish,
		     struct error *reterr);

/* How many events, or nanoseconds, CLOCKS have counted: a task's with all that it forked. */
uint64_t clocks_counted(const struct clocks *clocks);

/* Call SWITCH_ON for each clock, each at a random moment of one period from now, so that no two
 * clocks and no program keep step; events at once.  SWITCH_ON returns 0, or a negative errno that
 * ends the walk. */
int clocks_scatter(struct clocks *clocks, int (*switch_on)(void *context, int fd), void *context);

/* Give all clocks one new period, uniform within 10 % around the nominal one, and say which in
 * *PERIOD_NS.  Each clock begins a period anew: half of one is lost.  Returns 0 or -errno. */
int clocks_redraw(struct clocks *clocks, uint64_t *period_ns);

/* A descriptor that is readable when the kernel tells of a CPU, or of another device: the caller's.
 * -errno where it tells nobody here (a user namespace of a container's). */
int clocks_watch(void);

/* CPUs that came online, less those that went, and the moments of those that went, less those of
 * the others (CLOCK_MONOTONIC): so many CPUs more than at first until now, all added up. */
struct cpu_changes {
	int64_t count, moments_ns;
};

/* CHANGE CPUs more, from NOW_NS on. */
void cpu_changes_take(struct cpu_changes *changes, int change, uint64_t now_ns);

/* The CPU time that CHANGES have made more, or less, up to NOW_NS. */
int64_t cpu_changes_ns(const struct cpu_changes *changes, uint64_t now_ns);

/* The next CPU of those that WATCH tells of: 1, it came online; -1, it went; 0, none now. */
int clocks_told(int watch, int *ret_cpu);

/* The clock of a CPU that went offline stands for good: give CPU, which has come, a new one, by
 * SWITCH_ON as clocks_scatter() has it.  Returns 0; -ENODEV, it has gone again; or -errno. */
int clocks_renew(struct clocks *clocks, int cpu, int (*switch_on)(void *context, int fd),
		 void *context);

void clocks_close(struct clocks *clocks);

/* How long an interrupt of a clock keeps a program from running, in nanoseconds: the median of
 * about fifty, in 10 ms of this thread's time.  From under 1,000 on hardware to over 20,000 in
 * virtual machines whose timers leave the guest.  0: no clock can be opened. */
uint64_t clock_interrupt_ns(void);

/* A period close to PERIOD_NS that shares no small factor with round numbers. */
uint64_t clock_odd_period(uint64_t period_ns);

uint64_t monotonic_ns(void);

/* Time that a hypervisor has taken from all CPUs since the machine started, in nanoseconds, as far
 * as it tells (in steps of 10 ms).  Clocks tick on in it, and the kernel's CPU time leaves it out.
 */
uint64_t stolen_ns(void);

/* Time that all CPUs were idle since the machine started, waiting for disks or not, in nanoseconds,
 * by the kernel's account (in steps of 10 ms). */
uint64_t idle_ns(void);
