// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/signals.h"

#include "engine/inside/raw.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>

#define KERNEL_SIGSET_SIZE 8

static bool is_free(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && !(action.sa_flags & SA_SIGINFO) &&
	       action.sa_handler == SIG_DFL;
}

void signals_mask(int how, const sigset_t *set, sigset_t *ret_before)
{
	raw_syscall(SYS_rt_sigprocmask, how, (long)set, (long)ret_before, KERNEL_SIGSET_SIZE, 0, 0);
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
