/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_PROFILE_FOREIGN_H
#define PROFIL_PROFILE_FOREIGN_H

#include "profile/profile.h"

/* Make sense of PROFILE, which another program wrote or rewrote: the class of each mapping by its
 * name, one cell for each location and task, no empty ones, and the sum of its ticks as those that
 * fired. */
void foreign_settle(struct profile *profile);

#endif
