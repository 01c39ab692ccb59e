/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"
#include "symbol/code.h"
#include "target/module.h"

/* The code behind a mapping of a profile, looked at only when it is surely what ran. */

struct opened {
	struct code *code; /* NULL when it is not to be had ... */
	char why[256];	   /* ... for this reason, in words; else "" */
};

/* What the file of MAPPING is now.  *RET_WHY is NULL where it is surely what ran, else the reason
 * in words.  Returns 0, and module_done() frees *RET_MODULE, or -ENOMEM. */
int opened_inspect(const struct profile *profile, uint32_t mapping, struct module *ret_module,
		   const char **ret_why);

/* Open the file of MAPPING.  Returns 0 (with or without code) or -ENOMEM; the caller frees
 * *RET_OPENED with opened_done(). */
int opened_open(const struct profile *profile, uint32_t mapping, struct opened *ret_opened);
void opened_done(struct opened *opened);

/* For each mapping of PROFILE that is the file OBJECT (see place_objects()), what to add to its
 * addresses to have those of the file itself: 0 for a profile of ours, whose addresses are those;
 * a pprof file of others has addresses of the process.  SHIFTS has room for all mappings.
 * Returns 0 or -ENOMEM. */
int opened_shifts(const struct profile *profile, const uint32_t *objects, uint32_t object,
		  uint64_t *shifts);
