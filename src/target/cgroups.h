/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TARGET_CGROUPS_H
#define PROFIL_TARGET_CGROUPS_H

#include <stdbool.h>

/* Whether control groups of version 2, in whose hierarchy ticks are kept apart, are in use here:
 * whether their hierarchy is mounted.  With those of version 1 alone, all tasks are in its root. */
bool cgroups_in_use(void);

#endif
