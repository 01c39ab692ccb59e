/* SPDX-License-Identifier: BSD-2-Clause */
/* short-processes [N]: N processes (300), one after the other, each of which executes a program
 * anew, by vfork and by posix_spawn in turn, and lives for about 2 ms. */

#include "truth.h"

#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

SPIN(static, spin_brief);

static int live_briefly(void)
{
	struct truth truth = {"spin_brief"};

	truth_begin();
	truth_spin(&truth, spin_brief, 0.0018 * truth_jitter());
	truth_print(&truth);
	return 0;
}

static pid_t start_by_vfork(char **arguments)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execv(arguments[0], arguments);
		_exit(127);
	}
	return pid;
}

static pid_t start_by_spawn(char **arguments)
{
	pid_t pid;

	return posix_spawn(&pid, arguments[0], NULL, NULL, arguments, environ) == 0 ? pid : -1;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "live") == 0)
		return live_briefly();

	int count = argc > 1 ? atoi(argv[1]) : 300;
	char *arguments[] = {(char *)"/proc/self/exe", (char *)"live", NULL};

	for (int i = 0; i < count; i++) {
		pid_t pid = i % 2 ? start_by_vfork(arguments) : start_by_spawn(arguments);
		int status;

		if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
			truth_fail("short-processes");
	}
	return 0;
}
