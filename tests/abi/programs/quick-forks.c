// SPDX-License-Identifier: BSD-2-Clause
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profil.h"
#include "truth.h"

/* A fork does not build anew what the kernel engine has in the kernel, and the child is counted by
 * another engine; a large buffer, for which it would build long, goes to another one from the
 * start, unless it is asked for by name. */

#define PAGES 65536
#define CELLS (PAGES / 4)
#define FORKS 20
#define LARGE ((size_t)4 << 20)

static uint32_t cells[CELLS] __attribute__((aligned(PAGES)));

static struct profil_measurement *open_on(uint32_t *all, size_t count, const char *engine)
{
	const struct profil_options options = {
		.size = sizeof(options), .period_ns = 1003009, .engine = engine};
	const struct profil_region region = {(uintptr_t)spin_start, 4, all, count, 32};
	struct profil_measurement *measurement = profil_open(&options, &region, 1);

	check(measurement != NULL, "profil_open");
	return measurement;
}

static void in_child(const struct profil_measurement *measurement)
{
	check(strcmp(profil_engine(measurement), "kernel") != 0, "the child has another engine");
	_exit(0);
}

/* Of parent and child together, in microseconds. */
static long cpu_of_a_fork(const struct profil_measurement *measurement)
{
	struct rusage before, after;
	long spent = 0;

	for (int who = 0; who < 2; who++) {
		check(!getrusage(who ? RUSAGE_CHILDREN : RUSAGE_SELF, &before), "getrusage");
		spent -= before.ru_utime.tv_sec * 1000000 + before.ru_utime.tv_usec +
			 before.ru_stime.tv_sec * 1000000 + before.ru_stime.tv_usec;
	}
	for (int status, i = 0; i < FORKS; i++) {
		pid_t child = fork();

		if (!child)
			in_child(measurement);
		check(child > 0 && waitpid(child, &status, 0) == child && !status, "the child");
	}
	for (int who = 0; who < 2; who++) {
		check(!getrusage(who ? RUSAGE_CHILDREN : RUSAGE_SELF, &after), "getrusage");
		spent += after.ru_utime.tv_sec * 1000000 + after.ru_utime.tv_usec +
			 after.ru_stime.tv_sec * 1000000 + after.ru_stime.tv_usec;
	}
	return spent / FORKS;
}

int main(void)
{
	struct profil_measurement *measurement = open_on(cells, CELLS, "kernel");
	void *large = aligned_alloc(PAGES, LARGE);
	long spent;

	check(!profil_start(measurement), "profil_start");
	spent = cpu_of_a_fork(measurement);
	(void)printf("CPU time of a fork: %ld us\n", spent);
	check(spent < 20000, "a fork takes less than 20 ms of CPU time");
	profil_close(measurement);
	check(large != NULL, "memory");
	measurement = open_on(large, LARGE / 4, NULL);
	check(strcmp(profil_engine(measurement), "kernel") != 0,
	      "a large buffer is not for the kernel");
	profil_close(measurement);
	measurement = open_on(large, LARGE / 4, "kernel");
	check(!profil_start(measurement), "unless it is asked for");
	profil_close(measurement);
	free(large);
	return 0;
}
