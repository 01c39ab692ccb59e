/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_GMON_SAVE_H
#define PROFIL_GMON_SAVE_H

#include <stdbool.h>

/* Whether PROFIL_GMON_FORMAT asks for a profile (profil's own file) in place of gmon.out.
 * Signal-safe: yes.  Thread-safe: yes. */
bool save_is_wanted(void);

/* When it begins, for the profile's times. */
void save_begin(void);

/* Write all that was measured as one profile, whole or not at all.  Returns 0, or -1 after having
 * said why on stderr.  Signal-safe: no.  Thread-safe: no. */
int save_profile(bool is_child);

#endif
