/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/keyset.h"

#include <stdbool.h>

/* Which nodes of a tree that grows are open: what is below them is shown. */

/* Zeroed is empty. */
struct folds {
	struct keyset keys;
	bool *open; /* by the keys' numbers */
	size_t capacity;
};

/* Whether KEY is open; USUAL, and that from then on, where it was not asked for before.  Where
 * memory is short it is as usual each time. */
bool folds_is_open(struct folds *folds, const struct key *key, bool usual);

/* Open it, or close it.  Returns 0 or -ENOMEM. */
int folds_set(struct folds *folds, const struct key *key, bool open);
void folds_done(struct folds *folds);
