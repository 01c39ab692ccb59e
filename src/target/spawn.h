/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TARGET_SPAWN_H
#define PROFIL_TARGET_SPAWN_H

#include "base/error.h"

#include <signal.h>
#include <sys/types.h>

/* Start a program in two steps, so that a measurement can be set up for a process that is there
 * already and has not run an instruction of its program. */

struct spawned {
	pid_t pid;
	int channel; /* to the waiting child; -1 once it was released */
};

/* Fork a child that waits.  It has the caller's descriptors (but those with CLOEXEC), process
 * group and signal dispositions, and SIGNALS for its mask.
 * Returns 0, or -errno with a sentence. */
int spawn_prepare(struct spawned *ret_spawned, char **argv, const sigset_t *signals,
		  struct error *reterr);

/* Let it execute its program, found as execvp(3) does, with the strings of ENVIRONMENT (NULL at the
 * end, or NULL: none) put into what the caller's environment was.  Returns 0 when the program runs;
 * else the child is gone and -errno says why: -ENOENT no such program, another one not to be
 * executed. */
int spawn_release(struct spawned *spawned, const char *program, char *const *environment,
		  struct error *reterr);

/* End a child that was never released; without effect after spawn_release(). */
void spawn_abandon(struct spawned *spawned);

#endif
