/* SPDX-License-Identifier: BSD-2-Clause */
/* exec-chain OTHER: executes itself three times, then the program OTHER, all in one process.  A
 * thread is still running at each exec, and exec ends it. */

#include "truth.h"

#include <pthread.h>

SPIN(static, spin_first);
SPIN(static, spin_second);
SPIN(static, spin_third);

static const struct {
	const char *name;
	spin *work;
} stages[] = {{"spin_first", spin_first}, {"spin_second", spin_second}, {"spin_third", spin_third}};

static void *wait_for_ever(void *unused)
{
	pause();
	return unused;
}

static void exec_next(char **argv, int stage)
{
	char number[] = {(char)('0' + stage), '\0'};
	char *again[] = {argv[0], argv[1], number, NULL};

	if (stage < 3)
		execv("/proc/self/exe", again);
	else
		execv(argv[1], &argv[1]);
	truth_fail(argv[1]);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int stage = argc > 2 ? argv[2][0] - '0' : 0;

	if (argc < 2 || stage < 0 || stage > 2)
		return 1;
	argv[2] = NULL;

	struct truth truth = {stages[stage].name};

	truth_begin();
	if (pthread_create(&thread, NULL, wait_for_ever, NULL))
		truth_fail("pthread_create");
	truth_spin(&truth, stages[stage].work, TRUTH_SECONDS / 2);
	truth_print(&truth);
	exec_next(argv, stage + 1);
}
