/* SPDX-License-Identifier: BSD-2-Clause */
/* A handler that is left by a jump, out of whatever it has interrupted, the counting of a call too.
 * Prints how often in_handler() was called. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#define JUMPS 20000

static sigjmp_buf out;
static volatile long handled;

__attribute__((noinline)) void in_handler(void)
{
	handled++;
}

__attribute__((noinline)) void interrupted(void)
{
	__asm__ volatile("");
}

static void handler(int number)
{
	in_handler();
	siglongjmp(out, 1);
}

int main(void)
{
	const struct itimerval often = {{0, 20}, {0, 20}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = handler};

	sigaction(SIGALRM, &action, NULL);
	(void)sigsetjmp(out, 1);
	if (!handled)
		setitimer(ITIMER_REAL, &often, NULL);
	while (handled < JUMPS)
		interrupted();
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%ld\n", handled);
	return 0;
}
