/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of the time of every thread, as far as an engine without a view into the kernel is told of
 * it: either in sums, or when a thread came to a CPU and left it, and whether it could have gone
 * on.  What it waited for, and since when it could have run again, is told to none. */

enum life_state {
	LIFE_UNKNOWN, /* its life begins with what it is told to do first */
	LIFE_NEW,     /* born, and not yet on a CPU */
	LIFE_RUNNING,
	LIFE_PREEMPTED, /* it could have gone on */
	LIFE_AWAY,	/* blocked, or woken and waiting for a CPU */
	LIFE_SEEN,	/* what it does is seen now and then, in sums: */
	LIFE_QUEUED,	/* of time alone: waiting for a CPU, */
	LIFE_BLOCKED,	/* blocked, */
	LIFE_MISSED,	/* of time alone: what was told does not fit together */
	LIFE_STATES,
};

/* How much time was spent in each state, and how often it began. */
struct life_spent {
	uint64_t ns[LIFE_STATES], times[LIFE_STATES];
};

struct life {
	uint32_t pid, tid;
	char name[16]; /* its comm */
	enum life_state state;
	bool seeded;	       /* STATE is what /proc said when it was met */
	uint64_t began, since; /* CLOCK_MONOTONIC, ns: its life, its state */
	uint64_t lost;	       /* how many records had been lost by then */
	struct life_spent spent;
};

/* Lives that have ended, by whose they were. */
struct life_sum {
	uint32_t pid, tid;
	char name[16];
	uint64_t threads, lifetime;
	struct life_spent spent;
};

#define LIVES_AT_ONCE 1024 /* more threads on CPUs at once are so many */

struct lives {
	bool is_on;		    /* all of the time was asked for */
	bool by_process, by_thread; /* what sums are kept apart by */
	struct life *all;	    /* heap, by tid */
	size_t count, capacity;
	struct life_sum *sums; /* heap, by task */
	size_t sum_count, sum_capacity;
	uint64_t lost; /* records, by now */
	uint32_t at_once;
	uint64_t elapsed_since, elapsed[LIVES_AT_ONCE];
	uint64_t facts[WALL_FACTS];
};

/* The life of TID, or NULL. */
struct life *lives_find(const struct lives *lives, uint32_t tid);

/* A thread in STATE from NOW on.  NULL: out of memory, which is counted. */
struct life *lives_begin(struct lives *lives, uint32_t pid, uint32_t tid, enum life_state state,
			 uint64_t now);

/* LIFE's thread came to a CPU (LIFE_RUNNING), or left it for STATE. */
void lives_move(struct lives *lives, struct life *life, enum life_state state, uint64_t now);

void lives_end(struct lives *lives, struct life *life, uint64_t now);

/* Process PID executes a program: its thread that is left goes by the process's number now. */
void lives_execute(struct lives *lives, uint32_t pid);

/* The account so far, as if all lives ended NOW.  Returns 0 or -ENOMEM. */
int lives_read(const struct lives *lives, uint64_t now, struct histogram *histogram);

void lives_done(struct lives *lives);
