/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/table.h"

/* The rules of one file, each once: a file of half a million rows has some hundreds of them. */
struct unwind_rules {
	struct unwind_rule *items; /* heap; the first UNWIND_FIRST_RULE are zero */
	size_t count, capacity;
	uint16_t *slots; /* heap: a hash table of indices, 0 for none */
	size_t slot_count;
	uint16_t last; /* what was asked for last */
};

/* The number of RULE, which is added where it is new: UNWIND_UNKNOWN for more than 65,535 of them.
 * Returns 0 or -ENOMEM. */
int unwind_rules_add(struct unwind_rules *rules, const struct unwind_rule *rule,
		     uint16_t *ret_number);

/* Free the hash table; the rules stay, and are the caller's. */
void unwind_rules_finish(struct unwind_rules *rules);
