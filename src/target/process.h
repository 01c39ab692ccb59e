/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

/* Processes that run already: which there are, whether they may be measured, when they end. */

#define PROCESS_NAME_MAX 16 /* with the NUL; the kernel keeps no more of a name */

struct processes {
	pid_t *pids; /* heap, each once */
	size_t count, capacity;
	struct pollfd *ends; /* heap; their pidfds, readable at the end; -1 after it */
	size_t end_capacity;
};

/* Add process PID.  Whoever runs this must be allowed to read its memory as ptrace(2) would: the
 * capabilities that profil itself may carry give nobody another user's secrets.
 * Returns 0 (PID may have been in already), or -errno with a sentence. */
int processes_add(struct processes *processes, pid_t pid, struct error *reterr);

/* The same for a child of the caller's, which may be measured whatever it is. */
int processes_add_own(struct processes *processes, pid_t pid, struct error *reterr);

/* Add all processes called NAME, by what the kernel calls their first thread, that may be measured.
 * Returns 0, or -errno with a sentence when there are none. */
int processes_add_called(struct processes *processes, const char *name, struct error *reterr);

/* Note which have ended.  Returns whether any is left. */
bool processes_left(struct processes *processes);

/* Wait until one more ends, one of the COUNT descriptors MORE has what it waits for, or TIMEOUT is
 * over; for ever where that is NULL.  Fills in the revents of MORE.  Returns 0 or -errno. */
int processes_wait(const struct processes *processes, struct pollfd *more, size_t count,
		   const struct timespec *timeout);

void processes_done(struct processes *processes);

#define PROCESS_TITLE_MAX 256 /* with the NUL */

/* The command line of PID, which a server may have made a title; "" when it is gone or called other
 * than NAME, for its number may be another process's now. */
void process_title(pid_t pid, const char *name, char title[PROCESS_TITLE_MAX]);

/* Make a title of the arguments in the LENGTH bytes of TITLE, each ended by a NUL; there is room
 * for one more. */
void process_title_settle(char *title, size_t length);

/* What the kernel calls PID, "" when it is gone. */
void process_name(pid_t pid, char name[PROCESS_NAME_MAX]);
