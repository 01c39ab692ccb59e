// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/handler.h"
#include "engine/timer/inside/tick_signal.h"
#include "engine/timer/preload/keep.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>

/* The one signal that brings ticks, as the program is to see it: its own.  A program that sets all
 * signals to their default would else be killed by its next tick, and one that waits for any would
 * be told of ticks.  What it sets for that number is kept, told when it asks, and done to signals
 * that are not ours.  Threads that block all (xz's do) would never be seen, so that one is not
 * blocked by that. */

static struct sigaction theirs; /* all 0: the default */

static int next_sigaction(int number, const struct sigaction *action, struct sigaction *ret_before)
{
	static int (*next)(int number, const struct sigaction *action,
			   struct sigaction *ret_before);

	if (!next)
		next = keep_next("sigaction");
	return next(number, action, ret_before);
}

/* A handler runs with all signals blocked; what the program's own mask says matters no more. */
static void do_theirs(int number, siginfo_t *info, void *context)
{
	if (theirs.sa_handler == SIG_IGN)
		return;
	if (theirs.sa_handler == SIG_DFL)
		handler_default(number);
	else if (theirs.sa_flags & SA_SIGINFO)
		theirs.sa_sigaction(number, info, context);
	else
		theirs.sa_handler(number);
}

EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *ret_before)
{
	struct sigaction before;

	if (!number || number != tick_signal_number())
		return next_sigaction(number, action, ret_before);
	before = theirs;
	if (action) {
		theirs = *action;
		handler_other = do_theirs;
	}
	if (ret_before)
		*ret_before = before;
	return 0;
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
	static __sighandler_t (*next)(int number, __sighandler_t handler);
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, before;

	if (number && number == tick_signal_number()) {
		(void)sigaction(number, &action, &before);
		return before.sa_handler;
	}
	if (!next)
		next = keep_next("signal");
	return next(number, handler);
}

/* SET without ours. */
static sigset_t without_ours(const sigset_t *set)
{
	sigset_t others = *set;
	int number = tick_signal_number();

	if (number)
		sigdelset(&others, number);
	return others;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *ret_before)
{
	static int (*next)(int how, const sigset_t *set, sigset_t *ret_before);
	sigset_t others;

	if (!next)
		next = keep_next("pthread_sigmask");
	if (!set || how == SIG_UNBLOCK)
		return next(how, set, ret_before);
	others = without_ours(set);
	return next(how, &others, ret_before);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *ret_before)
{
	int code = pthread_sigmask(how, set, ret_before);

	if (code)
		errno = code;
	return code ? -1 : 0;
}

EXPORT int sigwait(const sigset_t *set, int *ret_number)
{
	static int (*next)(const sigset_t *set, int *ret_number);
	sigset_t others = without_ours(set);

	if (!next)
		next = keep_next("sigwait");
	return next(&others, ret_number);
}

EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *ret_info)
{
	static int (*next)(const sigset_t *set, siginfo_t *ret_info);
	sigset_t others = without_ours(set);

	if (!next)
		next = keep_next("sigwaitinfo");
	return next(&others, ret_info);
}

EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *ret_info, const struct timespec *timeout)
{
	static int (*next)(const sigset_t *set, siginfo_t *ret_info,
			   const struct timespec *timeout);
	sigset_t others = without_ours(set);

	if (!next)
		next = keep_next("sigtimedwait");
	return next(&others, ret_info, timeout);
}

EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	static int (*next)(int fd, const sigset_t *set, int flags);
	sigset_t others = without_ours(set);

	if (!next)
		next = keep_next("signalfd");
	return next(fd, &others, flags);
}
