/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "gmon/arcs.h"

#include <stdbool.h>

/* Whether PROFIL_GMON_FORMAT asks for a profile (profil's own file) in place of gmon.out.
 * Signal-safe: yes.  Thread-safe: yes. */
bool save_is_wanted(void);

/* When it begins, for the profile's times. */
void save_begin(void);

/* Write all that was measured and CALLS as one profile, whole or not at all, and then one line on
 * stderr says why.  IS_FINAL: nothing is counted any more, and the account is complete.
 * Signal-safe: yes.  Thread-safe: yes. */
void save_profile(const struct arcs_table *calls, bool is_child, bool is_final);
