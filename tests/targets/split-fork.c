/* SPDX-License-Identifier: BSD-2-Clause */
/* Four forked children at once: three in spin_three, one in spin_one, and a grandchild in
 * spin_one as long again, so that the membership of the tree is inherited twice. */

#include "truth.h"

#include <sys/wait.h>

SPIN(static, spin_three);
SPIN(static, spin_one);

static void spend(const char *name, spin *work, double seconds)
{
	struct truth truth = {name};

	truth_spin(&truth, work, seconds);
	truth_print(&truth);
}

static pid_t fork_or_fail(void)
{
	pid_t pid = fork();

	if (pid < 0)
		truth_fail("fork");
	return pid;
}

static void child(int number)
{
	if (number < 3) {
		spend("spin_three", spin_three, TRUTH_SECONDS / 2);
		_exit(0);
	}
	spend("spin_one", spin_one, TRUTH_SECONDS / 4);
	if (fork_or_fail() == 0)
		spend("spin_one", spin_one, TRUTH_SECONDS / 4);
	else
		wait(NULL);
	_exit(0);
}

int main(void)
{
	truth_begin();
	for (int i = 0; i < 4; i++) {
		if (fork_or_fail() == 0)
			child(i);
	}
	while (wait(NULL) > 0)
		continue;
	return 0;
}
