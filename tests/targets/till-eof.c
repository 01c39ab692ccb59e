/* SPDX-License-Identifier: BSD-2-Clause */
/* till-eof one|threads|children: is busy until its standard input ends: one thread, six at once, or
 * two processes that have one child after the other, each for 20 ms of CPU time.  At its end it
 * prints "cpu SECONDS CHILDREN": what it and all its children used, by getrusage(2). */

#include "truth.h"

#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>

#define THREADS 6
#define MAKERS 2
#define LIFE 0.020

SPIN(static, spin_on);

static int has_ended(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&input, 1, 0) != 0;
}

static void *stay_busy(void *unused)
{
	while (!has_ended())
		spin_on(truth_turns_per_ms);
	return unused;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, stay_busy, NULL))
			truth_fail("pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static pid_t fork_or_fail(void)
{
	pid_t pid = fork();

	if (pid < 0)
		truth_fail("fork");
	return pid;
}

static void live(void)
{
	while (truth_clock() < LIFE)
		spin_on(truth_turns_per_ms);
	_exit(0);
}

/* Returns how many it had. */
static int have_children(void)
{
	int count = 0;

	for (; !has_ended(); count++) {
		pid_t pid = fork_or_fail();

		if (!pid)
			live();
		waitpid(pid, NULL, 0);
	}
	return count;
}

static int run_children(void)
{
	int ends[2], sum = 0, one;

	if (pipe(ends))
		truth_fail("pipe");
	for (int i = 0; i < MAKERS; i++) {
		if (fork_or_fail())
			continue;
		one = have_children();
		_exit(write(ends[1], &one, sizeof(one)) != sizeof(one));
	}
	for (int i = 0; i < MAKERS; i++, sum += one)
		if (read(ends[0], &one, sizeof(one)) != sizeof(one))
			truth_fail("read");
	while (wait(NULL) > 0)
		continue;
	return sum + MAKERS;
}

static double seconds_of(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
	struct truth truth = {"cpu"};

	truth_begin();
	if (argc > 1 && !strcmp(argv[1], "threads"))
		run_threads();
	else if (argc > 1 && !strcmp(argv[1], "children"))
		truth.runs = run_children();
	else
		(void)stay_busy(NULL);
	truth.seconds = seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN);
	truth_print(&truth);
	return 0;
}
