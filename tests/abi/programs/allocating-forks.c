// SPDX-License-Identifier: BSD-2-Clause
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "profil.h"
#include "truth.h"

/* Forks while other threads allocate, with an allocator whose lock nobody opens in the child: there
 * nothing may want it before the program itself does.  Some children go on for a while, and are
 * counted.  IS_GMON: measured by libprofil-gmon, which needs no word of ours. */

#ifndef IS_GMON
#define IS_GMON 0
#endif

#define PAGES 65536
#define CELLS (PAGES / 4)
#define ALLOCATING 3
#define PATIENCE_S 20

static uint32_t cells[CELLS] __attribute__((aligned(PAGES)));
static int go_on = 1; /* atomic */

static unsigned long sum_of_cells(void)
{
	unsigned long sum = 0;

	for (size_t i = 0; i < CELLS; i++)
		sum += __atomic_load_n(&cells[i], __ATOMIC_RELAXED);
	return sum;
}

static void start(void)
{
	const struct profil_options options = {.size = sizeof(options), .period_ns = 1003009};
	const struct profil_region region = {(uintptr_t)spin_start, 4, cells, CELLS, 32};
	struct profil_measurement *measurement;

	if (IS_GMON)
		return;
	measurement = profil_open(&options, &region, 1);
	check(measurement && !profil_start(measurement), "profil_start");
}

/* Sizes that go past what an allocator keeps for each thread. */
static void *allocate_on(void *unused)
{
	void *blocks[64] = {NULL};

	(void)unused;
	for (unsigned i = 0; __atomic_load_n(&go_on, __ATOMIC_RELAXED); i++) {
		free(blocks[i % 64]);
		blocks[i % 64] = malloc(16 + i % 7 * 9000);
	}
	for (unsigned i = 0; i < 64; i++)
		free(blocks[i]);
	return NULL;
}

static void in_child(int turn)
{
	unsigned long before = sum_of_cells();

	for (int i = 0; turn % 10 == 9 && i < 200 && sum_of_cells() == before && !IS_GMON; i++)
		(void)spin(0.01);
	_exit(turn % 10 == 9 && sum_of_cells() == before && !IS_GMON);
}

/* Only a child that hangs is waited for that long. */
static void wait_for(pid_t child)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	int status = 0;
	pid_t ended = 0;

	for (int i = 0; !ended && i < PATIENCE_S * 1000; i++) {
		ended = waitpid(child, &status, WNOHANG);
		if (!ended)
			(void)nanosleep(&moment, NULL);
	}
	if (!ended)
		(void)kill(child, SIGKILL);
	check(ended == child, "the child ends");
	check(status == 0, "the child is counted");
}

int main(int argc, char **argv)
{
	int forks = argc > 1 ? atoi(argv[1]) : 60;
	pthread_t threads[ALLOCATING];

	start();
	for (int i = 0; i < ALLOCATING; i++)
		check(!pthread_create(&threads[i], NULL, allocate_on, NULL), "a thread");
	for (int turn = 0; turn < forks; turn++) {
		pid_t child = fork();

		check(child >= 0, "fork");
		if (!child)
			in_child(turn);
		wait_for(child);
	}
	__atomic_store_n(&go_on, 0, __ATOMIC_RELAXED);
	for (int i = 0; i < ALLOCATING; i++)
		check(!pthread_join(threads[i], NULL), "its end");
	return 0;
}
