/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_UNIT_GUEST_H
#define PROFIL_TESTS_UNIT_GUEST_H

/* What a program sees of the engines that are guests in it; include it behind cmocka.h. */

#include <signal.h>
#include <sys/wait.h>

/* A handler on a real-time signal: ours, for the test puts none there. */
static inline int handled_signal(void)
{
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		struct sigaction action;

		if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_DFL)
			return number;
	}
	return 0;
}

static inline int status_of(pid_t child)
{
	int status = -1;

	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

#endif
