/* SPDX-License-Identifier: BSD-2-Clause */
/* many-forks [N]: N children (10,000), one after the other, each of which spins for 20 us. */

#include "truth.h"

#include <sys/wait.h>

SPIN(static, spin_child);

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 10000;

	truth_begin();
	for (int i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			truth_fail("fork");
		if (pid == 0) {
			spin_child(truth_turns_per_ms / 50 + 1);
			_exit(0);
		}
		if (waitpid(pid, NULL, 0) != pid)
			truth_fail("waitpid");
	}
	return 0;
}
