/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/apart.h"
#include "profile/profile.h"

#include <stdint.h>

/* The names of a profile's locations are found in a process of their own: debug information takes
 * more memory than all that is counted, and comes from files that anybody may have made.  The
 * collector of a run that takes weeks stays as small as it was, and a file that brings the reader
 * of names down does not bring the measurement down. */

struct naming {
	struct apart apart; /* stopped: what is there is handed over, soon */
	int names;	    /* where it comes */
};

struct naming_options {
	uint64_t server_ns; /* how long servers may be waited for (symbol/fetch.h) */
	bool is_shown;	    /* on a terminal, how far a download is */
};

/* Begin to name PROFILE.  Returns 0, and the caller ends it with naming_end(); or -errno with a
 * sentence. */
int naming_begin(struct naming *naming, struct profile *profile,
		 const struct naming_options *options, struct error *reterr);

/* Take what was found into *PROFILE, which becomes another profile, the same with names; one that
 * is not done is killed.  Returns 0, -ECANCELED when the search was stopped and *PROFILE has some
 * names, or another -errno with a sentence; then it is as it was. */
int naming_end(struct naming *naming, struct profile **profile, struct error *reterr);

/* Where servers took longer than they may, SERVER_NS, say so, and what to do. */
void naming_say(uint64_t server_ns, const char *advice);
