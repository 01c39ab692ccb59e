/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks every signal that can be blocked, in two threads, and works. */

#include "truth.h"

#include <pthread.h>
#include <signal.h>

SPIN(static, spin_blocked);

static void *work(void *of)
{
	truth_spin(of, spin_blocked, TRUTH_SECONDS);
	return NULL;
}

int main(void)
{
	struct truth first = {"spin_blocked"}, second = {"spin_blocked"};
	pthread_t thread;
	sigset_t all;

	truth_begin();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (pthread_create(&thread, NULL, work, &second))
		truth_fail("thread");
	work(&first);
	pthread_join(thread, NULL);
	truth_print(&first);
	truth_print(&second);
	return 0;
}
