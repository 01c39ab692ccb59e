/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* The contexts of PROFILE in an order that tells nothing of how they came: parents first, level by
 * level, and what one context called by the LOCATION_RANK of each location.  RET_ORDER are their
 * numbers in order, RET_RANK of each number its place; both have room for all.
 * Returns 0 or -ENOMEM. */
int context_order(const struct profile *profile, const uint32_t *location_rank, uint32_t *ret_order,
		  uint32_t *ret_rank);
