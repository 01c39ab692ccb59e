/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the account of all time in the BPF object and the code that reads it agree on.  Included by
 * both; <linux/types.h> only. */
#include <linux/types.h>

#include "engine/kernel/stacks.h"

#define WALL_WAITS 32768u    /* --cells */
#define WALL_BUDGET 2000     /* walks a second and CPU */
#define WALL_STEADY 64	     /* walks in a row that say nothing new: from then on, of */
#define WALL_STEADY_PART 8   /* the budget this thread has one in so many */
#define WALL_WINDOW_SHIFT 27 /* nanoseconds, as a power of two: the budget is for so long */

enum kernel_wall_state {
	KERNEL_WALL_UNKNOWN, /* nothing has been seen of it yet, and its life begins when it is */
	KERNEL_WALL_NEW,
	KERNEL_WALL_RUNNING,
	KERNEL_WALL_QUEUED,
	KERNEL_WALL_BLOCKED,
	KERNEL_WALL_ENDED,
};

/* Why a thread did not run: the number of its system call, or one of these from
 * KERNEL_WALL_OTHERS on, and flags.  The same numbers are for both ways of waiting. */
enum kernel_wall_reason {
	KERNEL_WALL_OTHERS = 0x3c0,
	KERNEL_WALL_NOT_KNOWN = KERNEL_WALL_OTHERS,
	KERNEL_WALL_PAGE_FAULT,
	KERNEL_WALL_STOPPED,
	KERNEL_WALL_TRACED,
	KERNEL_WALL_KERNEL_THREAD,
	KERNEL_WALL_EXITING,
	KERNEL_WALL_GUARDED,
	KERNEL_WALL_INTERRUPT, /* of wakers */
	KERNEL_WALL_ANOTHER,
	/* of those that could run */
	KERNEL_WALL_IS_NEW,
	KERNEL_WALL_WOKEN,
	KERNEL_WALL_PREEMPTED,
	KERNEL_WALL_YIELDED,
	KERNEL_WALL_THROTTLED,
	KERNEL_WALL_REASONS_END,
	KERNEL_WALL_NUMBER = 0x3ff,
	KERNEL_WALL_32_BIT = 0x400,	      /* the number is of i386's calls */
	KERNEL_WALL_DISK = 0x800,	      /* it waited for a disk (iowait) */
	KERNEL_WALL_UNINTERRUPTIBLE = 0x1000, /* for something else, deaf to signals (D) */
	KERNEL_WALL_REASONS = 0x2000,
};

/* How a thread's time was spent; the parts add up to the life, unless something was missed. */
struct kernel_wall_sums {
	__u64 threads, lifetime, running, queued, blocked, unaccounted;
	__u64 unseen; /* of running: what is not in the CPU time, interrupts and the host's */
};

enum kernel_wall_site {
	KERNEL_SITE_UNKNOWN,
	KERNEL_SITE_KNOWN,
	KERNEL_SITE_MIXED, /* two contexts were found at it: it says nothing */
};

#define WALL_RECENT 4 /* a power of two: places for waits of one kind */

/* What a thread waited for last: where that was not walked, its time is added to its cell when
 * another takes its place, as a tick's recent cells are.  A wait that was walked says in which
 * context others are that the thread entered the kernel for at the same place, with a stack as
 * deep. */
struct kernel_recent_wait {
	__u64 ns;
	__u64 context; /* where it is known */
	__u64 longest; /* of those that were walked */
	__u32 count;   /* of waits that were not walked */
	__u32 site;
	__u16 reason;
	__u8 known; /* enum kernel_wall_site */
	__u8 end;
};

/* A thread, kept in its task. */
struct kernel_life {
	__u64 began, since; /* CLOCK_MONOTONIC: its life, its state */
	__u64 running, queued, blocked, unaccounted;
	__u64 runtime_began, runtime; /* its CPU time: then, and when it last left a CPU */
	__u64 context;		      /* where it last left one */
	__u64 window;		      /* of the budget, in which it last left one */
	__u64 delay;		      /* by the kernel, its time in the queue, and */
	__u64 arrivals;		      /* how often it had come to a CPU, when it last left one */
	__u64 longest[2];	      /* wait that was walked */
	__u32 task;		      /* as in a cell's key */
	__u32 sampling;		      /* one in so many, a power of two, is walked */
	__u32 site;	     /* a hash of where it entered the kernel, and its stack's depth */
	__u16 state, reason; /* of what it waits for, or last did */
	__u16 call;	     /* the reason that was a system call's, last */
	__u8 end;	     /* enum kernel_stack_end, of CONTEXT */
	__u8 walked;	     /* CONTEXT is of the last time it left a CPU */
	__u8 seeded;	     /* STATE is a guess */
	__u8 raised;	     /* WEIGHT, in WINDOW */
	__u8 sited;	     /* SITE says something */
	__u8 steady;	     /* waits in a row whose walk said what was known of their site */
	__u8 zero[3];
	struct kernel_recent_wait recent[2][WALL_RECENT]; /* queued, blocked */
	/* Who is waking it: as of its own context. */
	__u64 waker_context;
	__u32 waker_task;
	__u16 waker_reason; /* 0: a measured thread, else what it was */
	__u8 waker_end;
	__u8 zero_too;
};

enum kernel_wait_kind {
	KERNEL_WAIT_QUEUED,
	KERNEL_WAIT_BLOCKED,
	KERNEL_WAIT_WAKER, /* blocked, by who ended it: context and task are the waker's */
	KERNEL_WAIT_KINDS,
};

struct kernel_wait_key {
	__u64 context; /* 0: none */
	__u32 task;
	__u16 reason;
	__u8 kind; /* enum kernel_wait_kind */
	__u8 end;  /* enum kernel_stack_end, or WALL_LONG */
};

/* The end of waits that were not walked, and are so much longer than any of the thread's that was
 * that nothing says where they were. */
#define WALL_LONG 255
#define WALL_LONGER 4 /* times */

/* ALIKE were not walked, and are so by their site; REST is an estimate of all that was not. */
struct kernel_wait {
	__u64 ns, count;
	__u64 alike_ns, alike_count;
	__u64 rest_ns, rest_count;
};

/* A thread that lives, as the iterator hands it over. */
struct kernel_life_left {
	struct kernel_life life;
	__u64 runtime;
	__u64 woken; /* since when it has been in the queue, though LIFE is blocked; 0: it is not */
};

enum kernel_wall_fact { /* those of histogram.h's enum wall_fact that are counted here */
			KERNEL_WALL_OUTSIDE = 2,
			KERNEL_WALL_OVER,
			KERNEL_WALL_UNDER,
			KERNEL_WALL_MISSED_IN = 7,
			KERNEL_WALL_MISSED_OUT,
			KERNEL_WALL_MISSED_WAKE,
			KERNEL_WALL_MISSED_SWITCH,
			KERNEL_WALL_MISSED_NESTED,
			KERNEL_WALL_BACKWARDS,
			KERNEL_WALL_SEEDED,
			KERNEL_WALL_NOT_FOLLOWED,
			KERNEL_WALL_FACTS,
};

#define KERNEL_WALL_CPUS 1024 /* more threads than that on CPUs at once are so many */

#define WALL_SINCE_BITS 52
#define WALL_SHARE (1u << 20) /* a whole period */

/* Of all. */
struct kernel_wall_all {
	__u64 facts[KERNEL_WALL_FACTS];
	__u64 now;	   /* so many run, in the highest 12 bits, since when */
	__u64 shares_full; /* of samples for whose cell there was no room */
	__u64 elapsed[KERNEL_WALL_CPUS];
};

/* How far the parts of a LIFE that ended at END are from it, and its SUMS.  RUNTIME is all the CPU
 * time of the thread. */
static inline __attribute__((always_inline)) __s64
kernel_life_sum(const struct kernel_life *life, __u64 end, __u64 runtime,
		struct kernel_wall_sums *ret_sums)
{
	__u64 used = runtime - life->runtime_began;

	ret_sums->threads = 1;
	ret_sums->lifetime = end > life->began ? end - life->began : 0;
	ret_sums->running = life->running;
	ret_sums->queued = life->queued;
	ret_sums->blocked = life->blocked;
	ret_sums->unaccounted = life->unaccounted;
	ret_sums->unseen = life->running > used ? life->running - used : 0;
	return (__s64)(ret_sums->lifetime - life->running - life->queued - life->blocked -
		       life->unaccounted);
}

/* Whether a RESIDUE of LIFETIME is more than 0.1 % and 50 us. */
static inline __attribute__((always_inline)) int kernel_life_is_outside(__u64 residue,
									__u64 lifetime)
{
	return residue > 50000 && residue > lifetime / 1000;
}
