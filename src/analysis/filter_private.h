/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* PROFILE, whose cells are KEPT of ALL samples, becomes a profile of its own: WHAT, which filters
 * took the others out, is behind its command line, with how many are of no known process.  Returns
 * 0 or -ENOMEM. */
int filter_become_part(struct profile *profile, const char *what, uint64_t all, uint64_t kept,
		       uint64_t nobodys);
