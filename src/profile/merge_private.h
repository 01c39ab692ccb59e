/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/builder.h"
#include "profile/merge.h"

struct merge {
	struct builder builder;
	bool begun; /* a profile was added: the facts are some */
};

/* Whether PROFILE's ticks may be added to the others, -EINVAL with a sentence when not; and add its
 * facts, whose texts are already the sum's. */
int merge_facts_check(const struct merge *merge, const struct profile *profile, const char *name,
		      struct error *reterr);
int merge_facts_add(struct merge *merge, const struct profile_facts *facts);

/* What was counted until BEFORE is taken off, and the time since is left. */
void merge_facts_take_off(struct merge *merge, const struct profile_facts *before);
