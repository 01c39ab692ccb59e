/* SPDX-License-Identifier: BSD-2-Clause */
/* own-signals HOW: spins for half a second while it does with signals what programs do: "prof" has
 * a SIGPROF timer of its own, whose ticks it prints; "block" blocks all there are but for a moment
 * now and then, and asks for any that waits; "default" sets all to their default; "handle" handles
 * all, and prints how many came that it knows nothing of. */

#include "truth.h"

#include <signal.h>
#include <sys/time.h>

SPIN(static, spin_work);

static volatile sig_atomic_t own, others;

static void take(int number)
{
	if (number == SIGPROF)
		own++;
	else
		others++;
}

static void set_all(void (*handler)(int))
{
	for (int number = 1; number <= SIGRTMAX; number++) {
		struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, now;

		if (number == SIGKILL || number == SIGSTOP || (number > 31 && number < SIGRTMIN))
			continue;
		if (sigaction(number, &action, NULL) || sigaction(number, NULL, &now) ||
		    now.sa_handler != handler)
			truth_fail("sigaction");
	}
}

static void start_timer(void)
{
	struct itimerval often = {.it_interval = {.tv_usec = 10000},
				  .it_value = {.tv_usec = 10000}};
	struct sigaction action = {.sa_handler = take, .sa_flags = SA_RESTART};

	if (sigaction(SIGPROF, &action, NULL) || setitimer(ITIMER_PROF, &often, NULL))
		truth_fail("setitimer");
}

static void block_all(struct truth *work)
{
	const struct timespec now = {0};
	sigset_t all, before;

	sigfillset(&all);
	for (int turn = 0; turn < 50; turn++) {
		sigprocmask(SIG_BLOCK, &all, &before);
		truth_spin(work, spin_work, 0.01);
		if (sigtimedwait(&all, NULL, &now) > 0)
			others++;
		sigprocmask(SIG_SETMASK, &before, NULL);
	}
}

int main(int argc, char **argv)
{
	struct truth work = {"spin_work"};
	const char *how = argc == 2 ? argv[1] : "";

	truth_begin();
	if (!strcmp(how, "prof"))
		start_timer();
	if (!strcmp(how, "default"))
		set_all(SIG_DFL);
	if (!strcmp(how, "handle"))
		set_all(take);
	if (!strcmp(how, "block"))
		block_all(&work);
	else
		truth_spin(&work, spin_work, TRUTH_SECONDS);
	truth_print(&work);
	printf("own %d others %d\n", (int)own, (int)others);
	return 0;
}
