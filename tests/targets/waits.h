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

/* The calling thread's time on the run queue, as the kernel has it. */
static inline uint64_t queued(void)
{
	unsigned long long ran = 0, delay = 0;
	FILE *file = fopen("/proc/thread-self/schedstat", "r");

	if (!file || fscanf(file, "%llu %llu", &ran, &delay) != 2)
		exit(3);
	fclose(file);
	return delay;
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

/* How long the calling thread has waited for anything but a CPU, from some moment on.  The clocks
 * are read again where it stood in the queue between them. */
static inline uint64_t blocked(void)
{
	uint64_t delay, waited;

	do {
		delay = queued();
		waited = now(CLOCK_MONOTONIC) - now(CLOCK_THREAD_CPUTIME_ID) - delay;
	} while (queued() != delay);
	return waited;
}

/* The time that WAIT waited, but for what it ran and stood in the queue. */
static inline uint64_t waited(void (*wait)(void))
{
	uint64_t before = blocked();

	wait();
	return blocked() - before;
}
