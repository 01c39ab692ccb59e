/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_STOLEN_H
#define PROFIL_TESTS_STOLEN_H

/* By how much ticks may rightly exceed CPU time.
 *
 * A clock of samples goes by the time that passes, and so on while a virtual machine's host has the
 * CPU.  The kernel takes what the host says it stole out of the CPU time of the task that stood on
 * that CPU (update_rq_clock_task(), CONFIG_PARAVIRT_TIME_ACCOUNTING): at most so many ticks are
 * more than are due by CPU time.  A kernel that does not take it out has as many too few at most:
 * of all ticks that were due meanwhile one comes. */

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds that the host has taken from all CPUs so far; 0 where that is not told. */
static inline uint64_t stolen_so_far(void)
{
	FILE *file = fopen("/proc/stat", "re");
	uint64_t stolen = 0;

	/* "cpu user nice system idle iowait irq softirq steal ..." */
	if (!file || fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &stolen) != 1)
		stolen = 0;
	if (file)
		(void)fclose(file);
	return stolen * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

/* The most that it has taken since there were BEFORE.  The kernel adds what was stolen at its own
 * next tick, hence the nap, and what it shows is cut off at a step, hence one more; where nothing
 * ever was stolen nothing is. */
static inline uint64_t stolen_since(uint64_t before)
{
	const struct timespec kernel_tick = {.tv_nsec = 11000000};
	uint64_t now;

	(void)nanosleep(&kernel_tick, NULL);
	now = stolen_so_far();
	return now ? now - before + 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK) : 0;
}

#endif
