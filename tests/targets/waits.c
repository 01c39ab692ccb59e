// SPDX-License-Identifier: BSD-2-Clause
/* Waits for one thing after the other, each in a function of its own, and says for how long by its
 * own clocks: "FUNCTION REASON NANOSECONDS" a line, the time on the run queue left out; with a
 * second number it is between both.
 * waits kinds: all kinds of waits; waits crowd THREADS MS: so many threads of so many milliseconds,
 * four at once, the sum of their lives, and all CPU time; waits spinners THREADS MS: all at once,
 * their time on CPUs and on the run queue; waits storm ROUNDS: processes that fork, execute and
 * end; waits ping ROUNDS: two processes on one CPU wake each other, nanoseconds a round. */
#include "waits.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int pipe_ends[2];
static bool waits_for_condition;

static void w_sleep(void)
{
	nap(60 * MS);
}

static void w_read(void)
{
	char byte;

	if (read(pipe_ends[0], &byte, 1) != 1)
		exit(1);
}

static void helped(void)
{
	char byte;

	if (read(pipe_ends[0], &byte, 1) != 1)
		exit(1);
}

static void w_mutex(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void w_condition(void)
{
	pthread_mutex_lock(&mutex);
	waits_for_condition = true;
	while (waits_for_condition)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
}

static void w_poll(void)
{
	struct pollfd none = {.fd = -1};

	poll(&none, 1, 40);
}

static void w_child(void)
{
	pid_t child = fork();

	if (!child) {
		nap(50 * MS);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void measure(const char *name, const char *reason, void (*wait)(void))
{
	report(name, reason, waited(wait));
}

/* Lets the others go on. */
static void *helper(void *context)
{
	pthread_mutex_lock(&mutex);
	if (write(pipe_ends[1], "", 1) != 1)
		exit(1);
	nap(60 * MS);
	pthread_mutex_unlock(&mutex);
	for (bool done = false; !done;) {
		nap(60 * MS);
		pthread_mutex_lock(&mutex);
		done = waits_for_condition;
		waits_for_condition = false;
		pthread_cond_signal(&condition);
		pthread_mutex_unlock(&mutex);
	}
	nap(60 * MS);
	if (write(pipe_ends[1], "", 1) != 1)
		exit(1);
	return context;
}

/* A thread that never wakes. */
static struct {
	pthread_t thread;
	char schedstat[64];
	int64_t blocked; /* when it began */
} never;

static void *w_never(void *context)
{
	snprintf(never.schedstat, sizeof(never.schedstat), "/proc/self/task/%d/schedstat",
		 gettid());
	never.blocked = blocked();
	pause();
	return context;
}

static uint64_t never_waited(void)
{
	clockid_t cpu;

	if (pthread_getcpuclockid(never.thread, &cpu))
		exit(1);
	return (uint64_t)(blocked_in(never.schedstat, cpu) - never.blocked);
}

static void w_stops(void)
{
	pause();
}

static char state_of(pid_t process)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", process);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		exit(1);
	fclose(file);
	return state;
}

/* A child is stopped where it waits, and goes on. */
static void stopped(void)
{
	uint64_t before, began, ended;
	int status;
	pid_t child = fork();

	if (!child) {
		w_stops();
		_exit(0);
	}
	while (state_of(child) != 'S')
		nap(MS);
	before = now(CLOCK_MONOTONIC);
	kill(child, SIGSTOP);
	waitpid(child, &status, WUNTRACED);
	began = now(CLOCK_MONOTONIC);
	nap(70 * MS);
	ended = now(CLOCK_MONOTONIC);
	kill(child, SIGCONT);
	printf("w_stops stopped %" PRIu64 " %" PRIu64 "\n", ended - began,
	       now(CLOCK_MONOTONIC) - before);
	nap(5 * MS);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
}

static int kinds(void)
{
	pthread_t helping;

	if (pipe(pipe_ends) || pthread_create(&never.thread, NULL, w_never, NULL))
		return 1;
	measure("w_sleep", "clock_nanosleep", w_sleep);
	pthread_create(&helping, NULL, helper, NULL);
	helped(); /* it has the mutex */
	measure("w_mutex", "futex", w_mutex);
	measure("w_condition", "futex", w_condition);
	measure("w_read", "read", w_read);
	measure("w_poll", "poll", w_poll);
	measure("w_child", "wait4", w_child);
	stopped();
	report("w_never", "pause", never_waited());
	return 0;
}

static uint64_t spin_ns, lives_ns, ran_ns, queued_ns;

/* A busy wait by the clock on the wall. */
static void *spin(void *context)
{
	uint64_t began = now(CLOCK_MONOTONIC), end;

	do
		end = now(CLOCK_MONOTONIC);
	while (end - began < spin_ns);
	__atomic_fetch_add(&lives_ns, end - began, __ATOMIC_RELAXED);
	if (context)
		__atomic_fetch_add(&queued_ns, queued(), __ATOMIC_RELAXED);
	/* Last: what the rest takes is not in it. */
	__atomic_fetch_add(&ran_ns, now(CLOCK_THREAD_CPUTIME_ID), __ATOMIC_RELAXED);
	return NULL;
}

/* COUNT of them, ATONCE at a time. */
static int crowd(int count, int at_once, void *context)
{
	pthread_t threads[64];

	for (int i = 0; i < count; i += at_once) {
		for (int j = 0; j < at_once; j++)
			if (pthread_create(&threads[j], NULL, spin, context))
				return 1;
		for (int j = 0; j < at_once; j++)
			pthread_join(threads[j], NULL);
	}
	report("spin", "lives", lives_ns);
	report("spin", "running", ran_ns);
	report("spin", "all", now(CLOCK_PROCESS_CPUTIME_ID));
	if (context)
		report("spin", "runqueue", queued_ns);
	return 0;
}

static int storm(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		pid_t child = fork();

		if (!child) {
			if (i % 3 == 0)
				_exit(0);
			if (i % 3 == 1 && !fork())
				_exit(0);
			execl("/proc/self/exe", "waits", "nothing", NULL);
			_exit(1);
		}
		if (i % 4 == 3)
			while (waitpid(-1, NULL, 0) > 0)
				;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	return 0;
}

static int ping(int rounds)
{
	cpu_set_t one;
	int there[2], back[2], ret = 0;
	uint64_t began;
	char byte = 0;

	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one) || pipe(there) || pipe(back))
		return 1;
	if (!fork())
		for (;;)
			if (read(there[0], &byte, 1) != 1 || write(back[1], &byte, 1) != 1 || byte)
				_exit(0);
	began = now(CLOCK_MONOTONIC);
	for (int i = 0; i < rounds && !ret; i++) {
		byte = i == rounds - 1;
		ret = write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1;
	}
	printf("%" PRIu64 "\n", (now(CLOCK_MONOTONIC) - began) / (uint64_t)rounds);
	return ret;
}

/* Answers at once, or takes its time, as it is asked. */
static void *answer(void *context)
{
	int *ends = context;
	char byte;

	while (read(ends[0], &byte, 1) == 1 && byte != 2) {
		if (byte)
			nap(20 * MS);
		if (write(ends[3], &byte, 1) != 1)
			break;
	}
	return NULL;
}

static int ends[4];

/* SPACE is of its caller's frame, by which one stack may be as deep as another. */
static void ask(char byte, volatile char *space)
{
	space[0] = byte;
	if (write(ends[1], &byte, 1) != 1 || read(ends[2], &byte, 1) != 1)
		exit(1);
}

static void w_short(void)
{
	char space[8];

	ask(0, space);
}

static void w_shorts(void)
{
	for (int i = 0; i < 2000; i++)
		w_short();
}

static void w_long_deep(void)
{
	char space[200];

	ask(1, space);
}

/* Few long waits among many short ones. */
static int uneven(int rounds, void (*wait_long)(void), const char *name)
{
	uint64_t long_ns = 0, short_ns = 0;
	pthread_t other;

	if (pipe(ends) || pipe(ends + 2) || pthread_create(&other, NULL, answer, ends))
		return 1;
	for (int i = 0; i < rounds; i++) {
		short_ns += waited(w_shorts);
		long_ns += waited(wait_long);
	}
	report(name, "read", long_ns);
	report("w_short", "read", short_ns);
	return write(ends[1], "\2", 1) != 1 || pthread_join(other, NULL);
}

/* Until it is killed. */
static int idle(void)
{
	if (pthread_create(&never.thread, NULL, w_never, NULL))
		return 1;
	report("w_never", "pause", 0);
	for (;;)
		nap(2 * MS);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int count = argc > 2 ? atoi(argv[2]) : 0;

	spin_ns = argc > 3 ? (uint64_t)atoi(argv[3]) * MS : 0;
	if (!strcmp(what, "kinds"))
		return kinds();
	if (!strcmp(what, "crowd"))
		return crowd(count, /* at_once= */ 4, NULL);
	if (!strcmp(what, "spinners") && count <= 64)
		return crowd(count, count, &spin_ns);
	if (!strcmp(what, "storm"))
		return storm(count);
	if (!strcmp(what, "idle"))
		return idle();
	if (!strcmp(what, "uneven-deep"))
		return uneven(count, w_long_deep, "w_long_deep");
	if (!strcmp(what, "ping") && count)
		return ping(count);
	return strcmp(what, "nothing") ? 2 : 0;
}
