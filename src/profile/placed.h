/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* Cells on their way into a profile: it is known in which mapping each lies, there are no
 * locations yet. */
struct placed {
	enum location_kind kind;
	uint32_t mapping, task;
	uint64_t address, ticks;
};

/* Calls on the same way.  Of the two places mapping and address count, which are of code. */
struct placed_call {
	struct placed caller, callee;
	bool has_caller;
	uint64_t count;
};

struct placed_list {
	struct placed *items;
	size_t count, capacity;
	struct placed_call *calls;
	size_t call_count, call_capacity;
};

/* Returns 0 or -ENOMEM. */
int placed_add(struct placed_list *list, const struct placed *placed);
int placed_add_call(struct placed_list *list, const struct placed_call *call);

/* Put the mappings of PROFILE and the cells and calls of LIST in an order of their own (an engine
 * hands cells over in any order, and equal histograms shall give equal profiles), each thing once,
 * and add the locations, cells and calls to PROFILE, which has none.  LIST is used up.
 * Returns 0 or -ENOMEM. */
int placed_settle(struct placed_list *list, struct profile *profile);

void placed_done(struct placed_list *list);
