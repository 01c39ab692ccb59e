/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_CMD_NAMING_H
#define PROFIL_CMD_NAMING_H

#include "profile/profile.h"

/* Give the locations of *PROFILE their names, in a process of its own: debug information takes more
 * memory than all that is counted, and comes from files that anybody may have made.  The collector
 * of a run that takes weeks stays as small as it was, and a file that brings the reader of names
 * down does not bring the measurement down.
 * On success *PROFILE is another profile, the same with names.  Returns 0, or -errno with a
 * sentence; then it is as it was. */
int naming_apart(struct profile **profile, struct error *reterr);

#endif
