/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Start a program in two steps, so that a measurement can be set up for a process that is there
 * already and has not run an instruction of its program. */

struct spawned {
	pid_t pid;
	int channel; /* to the waiting child; -1 once it was released */
};

/* Fork a child that waits.  It has the caller's descriptors (but those with CLOEXEC), process
 * group and signal dispositions, and SIGNALS for its mask; HUSHED: /dev/null for each of its
 * standard streams that is a terminal, on which somebody else writes.
 * Returns 0, or -errno with a sentence. */
int spawn_prepare(struct spawned *ret_spawned, char **argv, const sigset_t *signals, bool hushed,
		  struct error *reterr);

/* Let it execute its program, found as execvp(3) does, with the strings of ENVIRONMENT (NULL at the
 * end, or NULL: none) put into what the caller's environment was.  Returns 0 when the program runs;
 * else the child is gone and -errno says why: -ENOENT no such program, another one not to be
 * executed. */
int spawn_release(struct spawned *spawned, const char *program, char *const *environment,
		  struct error *reterr);

/* What the child PID and all that was waited for below it have used, when it has ended: it stays to
 * be waited for.  0: it has not, or is no child of the caller's. */
uint64_t spawn_used_ns(pid_t pid);

/* End a child that was never released; without effect after spawn_release(). */
void spawn_abandon(struct spawned *spawned);
