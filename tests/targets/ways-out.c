/* SPDX-License-Identifier: BSD-2-Clause */
/* ways-out WAY: works for a while, says what it took, and ends by SIGKILL, _exit, abort, a crash,
 * with a thread that is not the first (thread), or as it should (exit). */

#include "truth.h"

#include <pthread.h>
#include <signal.h>

SPIN(static, spin_last);

static void *end(void *unused)
{
	return unused;
}

static void leave_to_thread(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, end, NULL))
		pthread_exit(NULL);
}

static void leave(const char *way)
{
	if (!strcmp(way, "kill"))
		(void)raise(SIGKILL);
	else if (!strcmp(way, "_exit"))
		_exit(3);
	else if (!strcmp(way, "abort"))
		abort();
	else if (!strcmp(way, "crash"))
		*(volatile int *)8 = 0;
	else if (!strcmp(way, "thread"))
		leave_to_thread();
}

int main(int argc, char **argv)
{
	struct truth last = {"spin_last"};

	if (argc != 2)
		return 1;
	truth_begin();
	truth_spin(&last, spin_last, TRUTH_SECONDS);
	truth_print(&last);
	leave(argv[1]);
	return 0;
}
