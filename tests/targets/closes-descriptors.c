/* SPDX-License-Identifier: BSD-2-Clause */
/* Closes every descriptor but the first three, and what was inherited with them, as daemons do;
 * then leaves its session and its parent, and goes on working as an orphan while the parent waits.
 */

#include "truth.h"

#include <sys/syscall.h>
#include <sys/wait.h>

SPIN(static, spin_daemon);

int main(void)
{
	struct truth truth = {"spin_daemon"};
	pid_t child;

	syscall(SYS_close_range, 3, ~0U, 0);
	child = fork();
	if (child < 0)
		truth_fail("fork");
	if (child > 0)
		return waitpid(child, NULL, 0) == child ? 0 : 1;
	setsid();
	truth_begin();
	truth_spin(&truth, spin_daemon, TRUTH_SECONDS);
	truth_print(&truth);
	return 0;
}
