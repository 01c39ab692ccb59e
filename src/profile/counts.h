/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* Make one of all that are equal but for their counts, and put them in order.  Return how many are
 * left. */
size_t counts_add_cells(struct profile_cell *cells, size_t count);
size_t counts_add_calls(struct profile_call *calls, size_t count);

/* Of what is in that order the cell that is equal to WHAT but for its count, or NULL. */
struct profile_cell *counts_find_cell(struct profile_cell *cells, size_t count,
				      const struct profile_cell *what);
