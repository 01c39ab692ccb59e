/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "engine/inside/inside.h"

#include <pthread.h>

/* What the historical and the modern calls share: a measurement of this process that is on, and
 * its account over all the times it was.  All of them are in one list, for fork(2) asks for them.
 *
 * One lock is over all: calls are rare and short, and fork(2) takes it too, so that a child never
 * finds one half changed.  Whoever calls the functions below holds it.  No tick takes it. */

void counting_lock(void);
void counting_unlock(void);

struct counting {
	const struct inside_ops *ops; /* of the last start */
	struct inside *inside;	      /* NULL: it is off */
	const char *only;	      /* the one that was asked for by name; NULL: any will do */
	struct inside_options options;
	struct inside_account before;  /* of all that was before INSIDE began */
	struct inside_account at_fork; /* of the cells as a child finds them */
	pthread_t owner;	       /* the thread that started it */
	struct counting *next;	       /* of those that are on */
};

/* Switch on with the first engine that can do OPTIONS, or with the one called ENGINE (NULL: any).
 * OPTIONS is copied, what it points to must stay.  WHY (may be NULL) gets a line on each engine
 * that was passed over.  Returns 0, -EALREADY, or the refusal of the last one asked. */
int counting_start(struct counting *counting, const struct inside_options *options,
		   const char *engine, struct error *why);

/* Switch off; every tick that came is in its cell.  Without effect when it is off. */
void counting_stop(struct counting *counting);

/* All since the account was last emptied.  Returns 0, or -errno of the engine. */
int counting_account(struct counting *counting, struct inside_account *ret_account);
