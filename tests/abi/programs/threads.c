// SPDX-License-Identifier: BSD-2-Clause
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <unistd.h>

#include "truth.h"

/* "Each thread's program counter is examined each clock tick": threads that were there before and
 * threads that come later.  Every other one blocks all signals for good: the timer engine, which
 * counts by signals, does not see those, and nobody else may care. */

#define THREADS 4

static uint64_t cells[512] __attribute__((aligned(4096)));

static pthread_barrier_t on;

struct burner {
	pthread_t thread;
	int blocks;
	double seconds;
};

static void *burn(void *argument)
{
	struct burner *burner = argument;
	sigset_t all;

	(void)sigfillset(&all);
	check(!burner->blocks || !pthread_sigmask(SIG_BLOCK, &all, NULL), "pthread_sigmask");
	(void)pthread_barrier_wait(&on);
	/* Long beside the 10 ms of a thread's end that the timer engine may miss at most. */
	burner->seconds = spin(0.6);
	return NULL;
}

static void begin(struct burner *burner, int blocks)
{
	burner->blocks = blocks;
	check(pthread_create(&burner->thread, NULL, burn, burner) == 0, "pthread_create");
}

/* The seconds that are due of it. */
static double end(struct burner *burner)
{
	check(pthread_join(burner->thread, NULL) == 0, "pthread_join");
	return burner->blocks && !strcmp(getenv("PROFIL_ENGINE"), "timer") ? 0 : burner->seconds;
}

int main(void)
{
	struct prof region = {cells, sizeof(cells), spin_start, 131072};
	struct burner burners[THREADS];
	unsigned long sum = 0;
	double seconds = 0;
	int i;

	check(sysconf(_SC_PROFIL_MAX) > 0 && sysconf(_SC_PAGESIZE) > 0, "sysconf");
	check(pthread_barrier_init(&on, NULL, THREADS + 1) == 0, "pthread_barrier_init");
	for (i = 0; i < THREADS / 2; i++)
		begin(&burners[i], i % 2);
	check(sprofil(&region, 1, NULL, PROF_UINT64) == 0, "sprofil");
	for (; i < THREADS; i++)
		begin(&burners[i], i % 2);
	(void)pthread_barrier_wait(&on);
	for (i = 0; i < THREADS; i++)
		seconds += end(&burners[i]);
	seconds += spin(0.1);
	check(sprofil(NULL, 0, NULL, 0) == 0, "off");
	for (i = 0; i < 512; i++)
		sum += (unsigned long)cells[i];
	check_ticks(sum, seconds);
	return 0;
}
