/* SPDX-License-Identifier: BSD-2-Clause */
/* ends HOW...: calls one() 10 times, then what HOW says: "fork" has a child that calls it 7 times
 * and goes on with the rest alone; "cleanup" ends profiling by hand; the others end. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void _mcleanup(void);
void monstartup(unsigned long low, unsigned long high);
void moncontrol(int mode);

__attribute__((noinline)) void one(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) int overflow(volatile char *before)
{
	volatile char room[4096];

	room[0] = before ? before[0] : 0;
	return overflow(room) + room[0];
}

static void *sleep_on(void *unused)
{
	one();
	pause();
	return unused;
}

/* Half a second of CPU time. */
static void spin(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 2;

	while (clock() < end)
		;
}

/* The parent waits, and goes the same way. */
static void split(void)
{
	pid_t child = fork();

	for (int i = 0; !child && i < 7; i++)
		one();
	if (child)
		waitpid(child, NULL, 0);
}

/* One that lives on when the process ends, after it has called one(), which is seen by nobody but
 * the profile. */
static void leave_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, sleep_on, NULL))
		exit(1);
	usleep(100000);
}

static void *one_more(void *unused)
{
	one();
	return unused;
}

/* The process ends, as if by exit(0), when its last thread does, which is another one. */
static void leave_to_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, one_more, NULL))
		exit(1);
	pthread_exit(NULL);
}

static void become_daemon(void)
{
	if (daemon(/* nochdir= */ 1, /* noclose= */ 1))
		exit(1);
	for (int i = 0; i < 7; i++)
		one();
}

static void vfork_child(void)
{
	pid_t child = vfork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static const struct {
	const char *how;
	int number;
} signals[] = {
	{"term", SIGTERM}, {"pipe", SIGPIPE}, {"alarm", SIGALRM},
	{"trap", SIGTRAP}, {"user", SIGUSR1}, {"size", SIGXFSZ},
};

static void end(const char *how)
{
	if (!strcmp(how, "fork"))
		split();
	if (!strcmp(how, "vfork"))
		vfork_child();
	if (!strcmp(how, "cleanup"))
		_mcleanup();
	if (!strcmp(how, "off"))
		moncontrol(0);
	if (!strcmp(how, "on"))
		moncontrol(1);
	if (!strcmp(how, "again"))
		monstartup(0, 0);
	if (!strcmp(how, "spin"))
		spin();
	if (!strcmp(how, "one"))
		one();
	if (!strcmp(how, "thread"))
		leave_thread();
	if (!strcmp(how, "daemon"))
		become_daemon();
	if (!strcmp(how, "last"))
		leave_to_thread();
	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "quick_exit"))
		quick_exit(0);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "overflow"))
		overflow(NULL);
	if (!strcmp(how, "crash"))
		*(volatile int *)8 = 0;
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!strcmp(how, signals[i].how))
			raise(signals[i].number);
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 10; i++)
		one();
	for (int i = 1; i < argc; i++)
		end(argv[i]);
	return 0;
}
