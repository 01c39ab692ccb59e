/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* The file that a measurement is written to, by several processes, one after the other. */
struct destination {
	const char *path;
	bool *has_written; /* what stands there is this measurement's own; theirs in common */
};

/* Returns 0 or -ENOMEM. */
int destination_open(struct destination *destination, const char *path);
void destination_close(struct destination *destination);

/* Whether what this process measures is for itself alone. */
bool destination_is_private(void);

/* Write PROFILE, marked as private where it is.  What was there before the measurement is kept, and
 * of the measurement the last.  Returns 0, or EXIT_PROFIL after having said why. */
int destination_write(const struct destination *destination, struct profile *profile);
