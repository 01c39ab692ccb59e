/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "cmd/apart.h"
#include "cmd/whom.h"

#include <stdbool.h>
#include <stdint.h>

/* One of the measurements that follow each other (rounds.h): a process counts, and a process of its
 * own finds names, hands the profile over when it is asked for and when it is whole, and writes
 * that. */

struct round {
	struct apart apart;
	int over;	 /* it says there how far it is: MEASURE_READY, ... */
	char said;	 /* the last of that, before it is told to stop; 0: nothing */
	int channel;	 /* its profiles come there */
	uint64_t number; /* of those that have measured, from 1 on; 0: it has not */
	bool is_asked;	 /* for a profile, which has not come */
	bool has_last;	 /* it has handed over the whole */
};

/* Begin to measure WHOM for the command NAME, to the file called after SECOND, since the epoch.
 * BEFORE's clocks are waited for to stop; NULL: none.  Returns 0, and the caller ends it with
 * round_end(); or -errno. */
int round_begin(struct round *round, struct whom *whom, const char *name, int64_t second,
		const struct round *before);

/* Whether ROUND is as far as WHAT.  What it says afterwards is for the one that waits for it. */
bool round_has_said(struct round *round, char what);

/* Ask for the profile as it is now, unless it was asked for and has not come. */
void round_ask(struct round *round);

/* What has come, without waiting.  Returns whether something has. */
struct round_news {
	int fd; /* the profile with names, as a file in memory, the caller's; -1: none, WHY */
	bool is_last;
	struct error why;
};
bool round_take(struct round *round, struct round_news *ret_news);

/* Kill what has not ended.  What it has handed over is lost.  Returns its status as waitpid(2) has
 * it, or -errno. */
int round_end(struct round *round);
