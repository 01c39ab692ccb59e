/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/apart.h"
#include "cmd/naming.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

#include <stdbool.h>

/* The profile so far, again and again, while it is measured: for a process of its own that shows it
 * (a screen, a server) and may wait, fail or be slow where the collector must not.
 *
 * The one who shows asks, and the collector answers at once, with the cells as they are then; so it
 * is the one who shows who says how often, and while nobody looks, nothing is done.  Names are
 * found in a thread of the process that shows, once for each address: what was named keeps its
 * name.
 *
 *	static int show(void *context, struct moving *moving)
 *	{
 *		while (moving_ask(moving), poll() of moving_news(), moving_end() and others) {
 *			profile = moving_take(moving, &why); // NULL: nothing newer, or why not
 *			... any view of PROFILE; where !profile->facts.partial, it was the last ...
 *		}
 *		return 0;
 *	}
 *	options.show = (struct moving_show){show, &context};
 *	return whom_measure(&whom, argv + first);	// cmd/whom.h: -p, -a or a program
 *
 * When what is measured has ended, the last profile comes unasked, and SHOW may go on; where SHOW
 * returns first, the measurement ends (a program that was started is sent SIGTERM).  A SHOW that
 * KEEPS has that one named, in place of the collector, and writes it over what the collector has
 * written without names. */

struct moving; /* of the process that shows */

struct moving_show {
	int (*show)(void *context, struct moving *moving); /* NULL: nobody.  Its exit status */
	void *context;
	void (*rescue)(void *context); /* in the collector, when SHOW was ended by a signal */
	bool keeps; /* it returns when it has written the last profile: no signal to the collector
		       is meant for it but the second one */
};

/* One that does not move, of PROFILE, with names, which stays the caller's, as SYMBOLS do.  Returns
 * NULL when memory or descriptors are short; moving_still_free() takes NULL. */
struct moving *moving_still(struct profile *profile, struct symbols *symbols);
void moving_still_free(struct moving *moving);

/* Ask for the profile as it is now, unless it was asked for and has not come, or was the last. */
void moving_ask(struct moving *moving);

/* What can be read when moving_take() has something. */
int moving_news(const struct moving *moving);

/* What can be read when all is to come to its end. */
int moving_end(const struct moving *moving);

/* The newest profile, named; NULL: no newer one than before has come, and RETERR says why where one
 * should have.  It is valid until the next call that returns another, and must not be changed. */
const struct profile *moving_take(struct moving *moving, struct error *reterr);

/* PROFILE, with its names, as a file in memory, as others read it.  Returns a descriptor, or -errno
 * with a sentence. */
int moving_file(const struct profile *profile, struct error *reterr);

/* The CPU time that all of it has taken so far: of this process, and of the collector for what
 * came. */
uint64_t moving_used_ns(struct moving *moving);

/* What names are found with, for the one who shows, until moving_return_symbols(); NULL: names are
 * being found just now. */
struct symbols *moving_lend_symbols(struct moving *moving);
void moving_return_symbols(struct moving *moving);

/* The collector's end of it.  Zeroed: nobody shows anything. */
struct mover {
	struct moving_show show;
	struct apart apart;
	int channel;
	int status;	  /* SHOW's, when it has ended */
	uint64_t used_ns; /* of CPU time by the collector, when it was asked for the profile */
};

/* Begin the process, which waits for mover_go().  Returns 0, or -errno with a sentence. */
int mover_begin(struct mover *mover, const struct moving_show *show,
		const struct naming_options *naming, struct error *reterr);

/* The measurement has begun. */
void mover_go(struct mover *mover);

/* What can be read when it asks, or has ended; -1: nobody shows anything, any more. */
int mover_fd(const struct mover *mover);

/* What it wants: the next profile; or it has ended. */
enum mover_wish { MOVER_NOTHING, MOVER_PROFILE, MOVER_ENDED };
enum mover_wish mover_wish(struct mover *mover);

/* Hand PROFILE over; NULL: there is none, WHY. */
void mover_send(struct mover *mover, const struct profile *profile, const struct error *why);

/* It is to come to its end.  | Wait until it has, or SIGNALS, of signals_take(), have one that asks
 * for it; then it is killed in a second.  Returns its status. */
void mover_stop(struct mover *mover);
int mover_wait(struct mover *mover, int signals);
