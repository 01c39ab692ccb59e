/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/dialect.h"

/* The other form of a profil() that takes several text ranges: an array of these, which a HIGH of
 * NULL ends.  As programs declare it, so its types stay as they are. */
struct range {
	char *low, *high; /* of the text; high exclusive, and rising */
	unsigned short *buffer;
	int size;	    /* of the buffer, bytes */
	unsigned int scale; /* all bits set: as the buffer and the text are */
};

/* Returns 0, or -1 with errno: EFAULT for an array or a buffer that is no memory, or buffers with
 * something between them that is none, and profiling has ended; EINVAL for a range that is empty,
 * of a negative size, or does not lie above the one before it. */
int ranges_profil(const struct dialect *dialect, const struct range *ranges);
