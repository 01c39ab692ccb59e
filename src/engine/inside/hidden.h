/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct hidden_place;

/* A thread of ours in the program, of which the program is to notice nothing: it blocks all
 * signals, is not measured, does not keep the process when the last of the program's own threads
 * has ended, has descriptors of its own (what the program closes does not hurt it, and it never
 * takes the lowest free one from under the program's feet), and sleeps by the CPU time of the
 * process, so that it never wakes a program that does nothing. */

/* How long to sleep: until the process has had CPU_NS more (seen at the next tick of the kernel's
 * clock) or WALL_NS have passed, whichever comes first; 0: not for that. */
struct hidden_nap {
	uint64_t cpu_ns;
	uint64_t wall_ns;
};

struct hidden_work {
	bool keeps_descriptors; /* from one turn to the next: begin only where they can be its own
				 */
	int (*begin)(void *owner, struct error *reterr); /* once; < 0: the thread ends; or NULL */
	struct hidden_nap (*turn)(void *owner);		 /* after each nap */
	void (*end)(void *owner);			 /* once, also if begin failed; or NULL */
};

struct hidden {
	const struct hidden_work *work;
	void *owner;
	struct hidden_place *place;
	pthread_t thread; /* of no use where it is cloned */
	bool is_cloned;	  /* the C library does not know of it */
	pid_t runs;	  /* atomic; then not 0 until it has ended */
	pid_t tid;
	int signal;
	timer_t timer;	      /* on the process's CPU clock */
	pthread_mutex_t lock; /* of LEAVE and the timer */
	bool has_timer, leave;
	bool shares_descriptors; /* with the program: the kernel would not part them; none is kept
				  */
	sem_t begun;
	int result; /* of begin, set before BEGUN */
	struct error *reterr;
};

/* Start the thread and wait for WORK's begin(), whose result is returned.  After hidden_forget()
 * nothing is allocated for it. */
int hidden_start(struct hidden *hidden, const struct hidden_work *work, void *owner,
		 struct error *reterr);

/* On return it is no more. */
void hidden_stop(struct hidden *hidden);

/* In the child of a fork: there it never was, nor were its descriptors.  Its memory is for the next
 * one that is started there. */
void hidden_forget(struct hidden *hidden);
