/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/trie.h"
#include "profile/profile.h"

/* Add CONTEXT to PROFILE, unless it is among its contexts, of which each is a node of TRIE.  Its
 * parent is there already.  *RET_CONTEXT is its index and 1, as a cell or a context below it needs
 * it.  Returns 0 or -ENOMEM. */
int contexts_add(struct trie *trie, struct profile *profile, const struct profile_context *context,
		 uint32_t *ret_context);

/* The contexts of PROFILE in an order that tells nothing of how they came: parents first, level by
 * level, and what one context called by the LOCATION_RANK of each location.  RET_ORDER are their
 * numbers in order, RET_RANK of each number its place; both have room for all.
 * Returns 0 or -ENOMEM. */
int contexts_order(const struct profile *profile, const uint32_t *location_rank,
		   uint32_t *ret_order, uint32_t *ret_rank);
