// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>

static bool is_free(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && !(action.sa_flags & SA_SIGINFO) &&
	       action.sa_handler == SIG_DFL;
}

static int middle(void)
{
	return SIGRTMIN + (SIGRTMAX - SIGRTMIN) / 2;
}

int signal_for_ticks(void)
{
	for (int number = middle(); number <= SIGRTMAX; number++)
		if (is_free(number))
			return number;
	return -EBUSY;
}

int signal_for_hidden_threads(void)
{
	for (int number = middle() - 1; number >= SIGRTMIN; number--)
		if (is_free(number))
			return number;
	return -EBUSY;
}
