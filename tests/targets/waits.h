/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* How long the calling thread waits, by its own clocks. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MS 1000000

static inline uint64_t now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000 * MS + (uint64_t)time.tv_nsec;
}

/* A thread's time on the run queue, as the kernel has it in SCHEDSTAT. */
static inline uint64_t queued_in(const char *schedstat)
{
	unsigned long long ran = 0, delay = 0;
	FILE *file = fopen(schedstat, "r");

	if (!file || fscanf(file, "%llu %llu", &ran, &delay) != 2)
		exit(3);
	fclose(file);
	return delay;
}

static inline uint64_t queued(void)
{
	return queued_in("/proc/thread-self/schedstat");
}

static inline void nap(uint64_t ns)
{
	struct timespec time = {(time_t)(ns / (1000 * MS)), (long)(ns % (1000 * MS))};

	nanosleep(&time, NULL);
}

static inline void report(const char *name, const char *reason, uint64_t ns)
{
	printf("%s %s %" PRIu64 "\n", name, reason, ns);
	fflush(stdout);
}

/* How long a thread, whose CPU time CPU says, has waited for anything but a CPU, from some moment
 * on. The clocks are read again where it stood in the queue between them. */
static inline int64_t blocked_in(const char *schedstat, clockid_t cpu)
{
	uint64_t delay, waited;

	do {
		delay = queued_in(schedstat);
		waited = now(CLOCK_MONOTONIC) - now(cpu) - delay;
	} while (queued_in(schedstat) != delay);
	return (int64_t)waited;
}

static inline int64_t blocked(void)
{
	return blocked_in("/proc/thread-self/schedstat", CLOCK_THREAD_CPUTIME_ID);
}

/* The time that WAIT waited, but for what it ran and stood in the queue.  The clocks are not read
 * at once: where it had nothing to wait for, one may say less than before. */
static inline uint64_t waited(void (*wait)(void))
{
	int64_t before = blocked(), since;

	wait();
	since = blocked() - before;
	return since < 0 ? 0 : (uint64_t)since;
}
