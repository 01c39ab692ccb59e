/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/inside/inside.h"

/* Between libprofil.so and libprofil-save.so, which is loaded when a profile is to be written: to
 * write one needs libraries that a program which only counts shall not have. */

#define SAVE_OBJECT "libprofil-save.so.0"
#define SAVE_SYMBOL "profil_save_write"

struct save_job {
	const struct region_table *table; /* its cells may move meanwhile */
	struct inside_account account;
	const char *engine;
	uint64_t period_ns;
	int64_t began_ns; /* since the epoch */
	uint64_t duration_ns;
	bool is_on;
};

/* Write JOB to PATH as a profile.  Returns 0 or -errno. */
typedef int save_write(const struct save_job *job, const char *path);
save_write profil_save_write;
