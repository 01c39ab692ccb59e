/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Work in a process of its own, which shares nothing with this one from then on, ends with it, and
 * may wait or fail where this one must not.  Signals stay as they are: blocked ones are this
 * process's to take. */
struct apart {
	pid_t pid; /* 0: none */
	int end;   /* a pidfd */
	int stop;  /* closed when the work is to come to its end */
};

/* WORK gets CONTEXT, and STOP, a descriptor that can be read when it is to come to its end; it
 * returns the exit status.  Returns 0, and the caller ends it with apart_end(); or -errno. */
typedef int apart_work(void *context, int stop);
int apart_begin(struct apart *apart, apart_work *work, void *context);

/* Wait for its end, for MS milliseconds (-1: as long as it takes), or until WATCHED (a descriptor,
 * -1: none) can be read.  Returns whether it has ended. */
bool apart_wait(const struct apart *apart, int ms, int watched);

/* It is to come to its end. */
void apart_stop(struct apart *apart);

/* Kill what has not ended.  Returns its status as waitpid(2) has it, or -errno. */
int apart_end(struct apart *apart);
