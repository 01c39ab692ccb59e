/* SPDX-License-Identifier: BSD-2-Clause */
/* signals [SECONDS]: what a program can see of how it was started, one fact a line; then "ready",
 * and for SECONDS (none) "signal N" for every signal that comes.  SIGTERM ends it, with 0. */

#include "truth.h"

#include <dirent.h>
#include <signal.h>

static void print_identity(void)
{
	printf("parent %d\n", (int)getppid());
	printf("leader %d\n", getpgrp() == getpid());
	printf("group %d\n", (int)getpgrp());
	printf("session %d\n", (int)getsid(0));
	printf("tty %d%d%d\n", isatty(0), isatty(1), isatty(2));
	printf("foreground %d\n", isatty(0) ? (int)tcgetpgrp(0) : 0);
}

static void print_signals(void)
{
	sigset_t blocked;
	struct sigaction action;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	for (int i = 1; i < 32; i++) {
		if (sigismember(&blocked, i) == 1)
			printf("blocked %d\n", i);
		if (sigaction(i, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			printf("ignored %d\n", i);
	}
}

static void print_descriptors(void)
{
	DIR *open_ones = opendir("/proc/self/fd");
	struct dirent *entry;

	if (!open_ones)
		truth_fail("/proc/self/fd");
	while ((entry = readdir(open_ones))) {
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(open_ones))
			printf("descriptor %s\n", entry->d_name);
	}
	closedir(open_ones);
}

static void print_arrivals(long seconds)
{
	sigset_t all;
	time_t end = time(NULL) + seconds;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	printf("ready\n");
	fflush(stdout);
	while (time(NULL) < end) {
		int number = sigtimedwait(&all, NULL, &(struct timespec){.tv_nsec = 100000000});

		if (number > 0)
			printf("signal %d\n", number);
		fflush(stdout);
		if (number == SIGTERM)
			return;
	}
}

int main(int argc, char **argv)
{
	print_identity();
	print_signals();
	print_descriptors();
	print_arrivals(argc > 1 ? atol(argv[1]) : 0);
	return 0;
}
