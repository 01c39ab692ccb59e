/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/slots.h"

#include <stddef.h>
#include <stdint.h>

/* Distinct keys, numbered 0, 1, 2 ... in the order in which they were first seen. */

struct key {
	uint64_t words[3];
};

/* Zeroed is empty. */
struct keyset {
	struct key *keys; /* by number */
	size_t count, capacity;
	struct slots slots;
};

/* The number of KEY, which is added if it is new.
 * Returns 1 when it was new, 0 when known, or -ENOMEM. */
int keyset_add(struct keyset *keyset, const struct key *key, uint32_t *ret_number);

/* Free what KEYSET owns and zero it. */
void keyset_done(struct keyset *keyset);
