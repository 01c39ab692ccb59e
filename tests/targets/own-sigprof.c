/* SPDX-License-Identifier: BSD-2-Clause */
/* Has a clock of its own, ITIMER_PROF and SIGPROF, that nobody else may take, and works.
 * Prints "sigprof SIGNALS ELSE": how many of its own came, and how many that it did not ask for. */

#include "truth.h"

#include <signal.h>
#include <sys/time.h>

SPIN(static, spin_sigprof);

static volatile sig_atomic_t own, others;

static void count(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (info->si_code == SI_KERNEL)
		own++;
	else
		others++;
}

int main(void)
{
	struct truth truth = {"spin_sigprof"};
	struct sigaction action = {.sa_sigaction = count, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct itimerval every = {{.tv_usec = 10000}, {.tv_usec = 10000}}, left;

	truth_begin();
	if (sigaction(SIGPROF, &action, NULL) || setitimer(ITIMER_PROF, &every, NULL))
		truth_fail("SIGPROF");
	truth_spin(&truth, spin_sigprof, TRUTH_SECONDS);
	/* The handler and the clock are still its own. */
	if (getitimer(ITIMER_PROF, &left) || left.it_interval.tv_usec != 10000 ||
	    sigaction(SIGPROF, NULL, &action) || action.sa_sigaction != count)
		truth_fail("somebody took SIGPROF");
	setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
	printf("sigprof %d %d\n", (int)own, (int)others);
	fflush(stdout);
	truth_print(&truth);
	return 0;
}
