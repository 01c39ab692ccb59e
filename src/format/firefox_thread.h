/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/json.h"
#include "format/firefox_tables.h"

/* A profile on its way into the Firefox Profiler's JSON. */
struct firefox {
	struct json json;
	const struct profile *profile;
	struct firefox_source source;
	struct strings *strings;
	const struct profile_cell **cells; /* task by task */
	uint32_t *stacks;		   /* of each of them, in its thread's tables */
	int error;			   /* -ENOMEM of a text while it was printed, or 0 */
};

/* Print the thread of those cells from FIRST on; *RET_LIMIT is the first of another one.  Without
 * any it is a thread without samples.  Returns 0 or -ENOMEM. */
int firefox_thread(struct firefox *writing, size_t first, size_t *ret_limit);
