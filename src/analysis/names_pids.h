/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* PIDS, one for each location of PROFILE and zeroed, gets the process whose map names the code of
 * no file there.  Returns 0 or -ENOMEM. */
int names_pids(const struct profile *profile, uint32_t *pids);
