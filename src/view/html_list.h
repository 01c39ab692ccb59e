/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A page with a list of profiles, each with a link to its own page and any two to be compared. */

struct html_listed {
	const char *address; /* of its page, below "/profile/", not escaped */
	const char *name, *program;
	int64_t time_ns; /* since the epoch; 0: not known */
	uint64_t duration_ns, samples;
	const char *why; /* it could not be read; NULL: it was */
};

/* Those that could not be read are the last ones.  MOVES is the path of the page of what is
 * measured now; NULL: nothing is.  Whether OUT could be written is the caller's to see. */
void html_list_print(FILE *out, const struct html_listed *items, size_t count, const char *moves);
