/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/keyset.h"

#include <stdbool.h>

/* What counts that only grow did lately: of each how much it grew from moment to moment. */

#define HISTORY_MOMENTS 16

struct history_row {
	uint64_t count; /* at the last moment that it was told, */
	uint64_t moment;
	uint64_t grown[HISTORY_MOMENTS]; /* to each moment from the one before, by its number */
};

/* Zeroed is empty. */
struct history {
	struct keyset keys;
	struct history_row *rows; /* by the keys' numbers */
	size_t row_capacity;
	uint64_t moment; /* how many there were */
};

/* Another moment begins: what is not told then did not grow. */
void history_step(struct history *history);

/* KEY's count is COUNT now; *RET_NUMBER is its number from now on.  What was not told before has
 * grown from 0 where IS_NEW, but not at the first moment, when nothing is known of the time before;
 * else it has not grown.  Returns 0 or -ENOMEM. */
int history_tell(struct history *history, const struct key *key, uint64_t count, bool is_new,
		 uint32_t *ret_number);

/* How much NUMBER grew to the moment AGO moments ago; 0: the last. */
uint64_t history_grown(const struct history *history, uint32_t number, unsigned ago);

void history_done(struct history *history);
