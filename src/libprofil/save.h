/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_LIBPROFIL_SAVE_H
#define PROFIL_LIBPROFIL_SAVE_H

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
	size_t cell_size; /* bytes of text that each cell stands for; 0: they differ */
	bool is_on;
};

/* Write JOB to PATH as a profile.  Returns 0 or -errno. */
typedef int save_write(const struct save_job *job, const char *path);
save_write profil_save_write;

/* The same with cells and calls by addresses, as the runtime of -pg has them, whatever was loaded
 * there and is gone. */

#define SAVE_COUNTED_SYMBOL "profil_save_counted"
#define SAVE_NOBODY UINT32_MAX

struct save_object {
	uintptr_t low; /* of the text that the cells are of */
	const uint64_t *cells;
	size_t count, granule; /* cells; bytes that each stands for */
	bool is_gone;	       /* unloaded: then the next two say where it was from */
	const char *path;
	uint64_t offset; /* in the file, of LOW */
};

struct save_call {
	uintptr_t caller, callee;
	uint32_t caller_object, callee_object; /* their numbers; SAVE_NOBODY: not known */
	uint64_t count;
};

struct save_counted {
	struct save_job job; /* without a table */
	const struct save_object *objects;
	size_t object_count;
	const struct save_call *calls;
	size_t call_count;
};

/* Write COUNTED to PATH as a profile.  Returns 0 or -errno. */
typedef int save_counted(const struct save_counted *counted, const char *path);
save_counted profil_save_counted;

#endif
