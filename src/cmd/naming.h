/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/apart.h"
#include "profile/profile.h"
#include "symbol/symbol.h"

#include <stdint.h>

/* The names of a profile's locations are found in a process of their own, which then does what is
 * left to do with the named profile: debug information takes more memory than all that is counted,
 * and comes from files that anybody may have made.  The collector of a run that takes weeks stays
 * as small as it was, and a file that brings the reader of names down does not bring the
 * measurement down: then the collector does what is left, without names. */

struct naming_options {
	uint64_t server_ns; /* how long servers may be waited for (symbol/fetch.h) */
	bool is_shown;	    /* on a terminal, how far it is */
};

/* What names are found with in this process, which is to be one of its own, until STOP can be read:
 * *RET_SYMBOLS is symbols_close()'s.  Returns 0 or -errno. */
int naming_open(const struct naming_options *options, int stop, struct symbols **ret_symbols);

/* Name PROFILE in this process, which is to be one of its own, until STOP can be read.  Returns 0,
 * -ECANCELED when the search was stopped and PROFILE has some names, or another -errno. */
int naming_find(struct profile *profile, const struct naming_options *options, int stop);

/* Where servers took longer than they may, SERVER_NS, say so, and what to do. */
void naming_say(uint64_t server_ns, const char *advice);

struct naming {
	struct apart apart; /* stopped: what is there is gone on with, soon */
	int turn;	    /* an eventfd: of the two processes, who takes it goes on */
	bool has_turn;	    /* this one */
	bool is_shown;	    /* how far the other is, perhaps until it is killed */
};

/* Begin to name PROFILE, which stays as it is in this process.  In the other, GO_ON is called with
 * CONTEXT when it has its names, and returns the exit status.  Returns 0, and the caller ends it
 * with naming_end(); or -errno with a sentence. */
int naming_begin(struct naming *naming, struct profile *profile,
		 const struct naming_options *options, int (*go_on)(void *context), void *context,
		 struct error *reterr);

/* Returns whether it is this process's turn to go on: the other has not, and will not any more. */
bool naming_take_turn(struct naming *naming);

/* A process that is not done is killed.  Returns its exit status where it has gone on, 128 + N
 * after a sentence where signal N ended it then; or -errno with a sentence where it has not, and
 * all is left to do. */
int naming_end(struct naming *naming, struct error *reterr);
