// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <unistd.h>

static void ends(sigset_t *ret_set)
{
	static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

	sigemptyset(ret_set);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		sigaddset(ret_set, all[i]);
}

int signals_take(sigset_t *ret_before)
{
	sigset_t watched;
	int fd;

	ends(&watched);
	sigaddset(&watched, SIGUSR1);
	sigprocmask(SIG_BLOCK, &watched, ret_before);
	fd = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int signals_next(int signals, struct signalfd_siginfo *ret_info)
{
	if (read(signals, ret_info, sizeof(*ret_info)) != sizeof(*ret_info))
		return 0;
	return (int)ret_info->ssi_signo;
}

static bool is_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

int signals_next_end(int signals)
{
	struct signalfd_siginfo info;
	int number;

	do
		number = signals_next(signals, &info);
	while (number && (number == SIGUSR1 || is_ignored(number)));
	return number;
}

void signals_forget(int signals)
{
	struct signalfd_siginfo info;

	while (signals_next(signals, &info))
		;
}

void signals_let_end(int signals)
{
	sigset_t set;

	signals_forget(signals);
	ends(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}
