/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "cmd/apart.h"
#include "cmd/destination.h"
#include "cmd/naming.h"
#include "profile/profile.h"

/* The profile so far, named and written by a process that the collector does not wait for: both may
 * take long, and the program's signals, clocks and rings do not wait. */
struct snapshot {
	struct apart apart; /* of no process: there is none */
};

struct snapshot_options {
	const struct destination *destination;
	bool raw;
	struct naming_options naming;
};

/* Whether one is still being written. */
bool snapshot_is_busy(struct snapshot *snapshot);

/* Begin to write PROFILE; none must be busy.  What goes wrong later is said on stderr.  Returns 0,
 * or -errno with a sentence. */
int snapshot_begin(struct snapshot *snapshot, struct profile *profile,
		   const struct snapshot_options *options, struct error *reterr);

/* The end of one that may be busy: what it has not begun to write it does not write any more. */
void snapshot_end(struct snapshot *snapshot);
