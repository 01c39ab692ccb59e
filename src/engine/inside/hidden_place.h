/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <pthread.h>
#include <sys/types.h>

/* The memory that a hidden thread runs in: its stack, and on that what the C library keeps of a
 * thread.  To make a thread the C library allocates.  The child of a fork may not: whoever had the
 * allocator's lock is not there.  But it has its parent's hidden threads' memory, and in it a
 * thread as the C library has made it, that only does not run.  So there the kernel alone is asked
 * for a thread, and it goes on in that memory. */

struct hidden_place;

typedef void *place_run(void *argument);

/* A thread of the C library's in new memory.  RUN calls place_note() first.  0 or -errno. */
int place_create(place_run *run, void *argument, struct hidden_place **ret_place,
		 pthread_t *ret_thread);

/* By the new thread itself: what there is to know of it to make it again. */
void place_note(struct hidden_place *place);

/* A thread of the kernel's in PLACE, which was noted.  *RET_RUNS is not 0 until it has ended.  0 or
 * -errno. */
int place_clone(struct hidden_place *place, place_run *run, void *argument, pid_t *ret_runs);
void place_wait(const pid_t *runs);

/* One whose thread is not here, from the child of a fork on. */
void place_keep(struct hidden_place *place);
struct hidden_place *place_take(void); /* NULL: there is none */

/* Its thread has ended. */
void place_free(struct hidden_place *place);
