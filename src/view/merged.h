/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

#include <stdbool.h>
#include <stdio.h>

/* What a merge has made. */
struct merged {
	const struct profile *sum;
	const char *path;   /* where it was written */
	const char *digest; /* SHA-256 of the unpacked file, hexadecimal */
	size_t files;	    /* how many profiles went into it */
};

/* Print it, as text or as one JSON object.  Whether OUT took it is the caller's to see. */
void merged_print(FILE *out, const struct merged *merged, bool json);
