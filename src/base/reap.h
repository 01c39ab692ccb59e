/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>
#include <sys/wait.h>

/* Wait for the child PID to end, whatever signals come.  Returns its status as waitpid(2) has it,
 * or -errno. */
static inline int reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return status;
}
