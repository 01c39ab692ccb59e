// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "truth.h"

/* A child goes on counting, in its own copy; a program that is executed is left alone. */

unsigned short counters[256];

static unsigned long sum_of(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < 256; i++)
		sum += counters[i];
	return sum;
}

static int status_of(pid_t pid)
{
	int status;

	check(waitpid(pid, &status, 0) == pid, "waitpid");
	return status;
}

static void in_child(void)
{
	unsigned long before = sum_of();
	double seconds = spin(0.4);

	check(before > 0, "the child has what was counted");
	check(profil(NULL, 0, 0, 0) == 0, "off in the child");
	check_ticks(sum_of() - before, seconds);
	_exit(0);
}

/* Spin in a program of its own, after exec: it must live and count nothing. */
static int executed(void)
{
	(void)spin(0.1);
	return sum_of() ? 1 : 0;
}

int main(int argc, char **argv)
{
	double seconds;
	pid_t pid;

	if (argc > 1)
		return executed();
	check(profil(counters, sizeof(counters), (size_t)spin_start, 32768) == 0, "profil");
	seconds = spin(0.2);
	pid = fork();
	if (!pid)
		in_child();
	check(status_of(pid) == 0, "fork");

	pid = vfork();
	if (!pid) {
		execl("/proc/self/exe", argv[0], "executed", NULL);
		_exit(2);
	}
	check(status_of(pid) == 0, "vfork and exec");

	seconds += spin(0.2);
	pid = fork();
	if (!pid) {
		execl("/proc/self/exe", argv[0], "executed", NULL);
		_exit(2);
	}
	check(status_of(pid) == 0, "fork and exec");
	check(profil(NULL, 0, 0, 0) == 0, "off");
	check_ticks(sum_of(), seconds);
	return 0;
}
