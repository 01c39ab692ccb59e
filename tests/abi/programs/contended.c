// SPDX-License-Identifier: BSD-2-Clause
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "profil.h"
#include "truth.h"

/* More threads than CPUs, each of which reads its CPU clock every 0.3 ms: the call takes less than
 * one part in 100 of the time, and has no more of the ticks than that by far.  A tick that is due
 * must not wait for the call. */

#define PAGES 65536
#define CELLS (PAGES / 4)
#define THREADS_A_CPU 4
#define CPUS_MAX 16
#define SHARE_MAX 0.2

static uint32_t cells[CELLS] __attribute__((aligned(PAGES)));

static void *read_the_clock(void *unused)
{
	struct timespec now;

	(void)unused;
	do {
		for (int i = 0; i < 300000; i++)
			__asm__ volatile("" ::: "memory");
		(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < 500);
	return NULL;
}

int main(void)
{
	const struct profil_options options = {.size = sizeof(options), .period_ns = 1003009};
	const struct profil_region region = {(uintptr_t)read_the_clock & ~(uintptr_t)3, 4, cells,
					     64, 32};
	struct profil_measurement *measurement = profil_open(&options, &region, 1);
	struct profil_account account = {.size = sizeof(account)};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	long count = (cpus < CPUS_MAX ? cpus : CPUS_MAX) * THREADS_A_CPU;
	pthread_t threads[CPUS_MAX * THREADS_A_CPU];
	double elsewhere;

	check(measurement && !profil_start(measurement), "profil_start");
	for (long i = 0; i < count; i++)
		check(!pthread_create(&threads[i], NULL, read_the_clock, NULL), "a thread");
	for (long i = 0; i < count; i++)
		check(!pthread_join(threads[i], NULL), "its end");
	check(!profil_stop(measurement) && !profil_read(measurement, &account), "profil_read");
	elsewhere = (double)account.outside / (double)account.ticks;
	(void)printf("# %ju ticks, %.4f in the call, %ju unseen\n", (uintmax_t)account.ticks,
		     elsewhere, (uintmax_t)account.unseen);
	check(account.ticks > 200, "ticks");
	check(elsewhere < SHARE_MAX, "the call has its own ticks");
	profil_close(measurement);
	return 0;
}
