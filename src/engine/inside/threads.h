/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/inside/space.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* The threads of this process: which there are, and their CPU time. */

struct thread_list {
	struct space space; /* of pid_t */
	size_t count;
};

/* A descriptor to list threads by, or -errno.  A hidden thread keeps one, for its descriptors are
 * its own. */
int threads_open(void);

/* All that are there and not hidden, in rising order, without doubles.  Returns 0 or -errno. */
int threads_read(int fd, struct thread_list *list);
pid_t thread_at(const struct thread_list *list, size_t index);
bool threads_have(const struct thread_list *list, pid_t tid);
void threads_done(struct thread_list *list);

/* The clock of TID's CPU time, which counts from its birth. */
clockid_t thread_clock(pid_t tid);

uint64_t clock_ns(clockid_t clock); /* 0: its thread is no more */

/* Threads of the engines' own are not measured, by any of the measurements at once.
 * Returns 0, or -EAGAIN when there are too many of them.  Thread-safe: yes. */
int thread_hide(pid_t tid);
void thread_unhide(pid_t tid);
bool thread_is_hidden(pid_t tid);
