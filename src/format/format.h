/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_FORMAT_FORMAT_H
#define PROFIL_FORMAT_FORMAT_H

#include "base/error.h"
#include "profile/profile.h"

/* Profiles as files, profil's own and those of other programs: one file each, one row each in
 * format.c's table. */

/* What a reader may be told that a file does not say itself.  NULL: not known. */
struct format_hints {
	const char *program; /* the program that was measured */
	const char *map;     /* its MAP file (a DOS program's); else what stands beside the file */
};

struct format_ops {
	const char *name;    /* in one word: "prf" */
	const char *summary; /* what it is, in a few words */
	/* What its files' names end with, in any case; NULL: the format of all other names. */
	const char *ending;
	/* The profile in the file at PATH, with the names that belong to it.  HINTS is never NULL;
	 * one that the format has no use for is -EINVAL.  Returns 0 and *RET_PROFILE, the
	 * caller's, or -errno with a sentence; bad bytes are -EBADMSG.  NULL: not read. */
	int (*read)(const char *path, const struct format_hints *hints,
		    struct profile **ret_profile, struct error *reterr);
	/* Put PROFILE at PATH, whole or not at all (profile/replace.h).  Returns 0, or -errno with
	 * a sentence; -ENOTSUP: this profile cannot be said in the format.  NULL: not written. */
	int (*write)(const struct profile *profile, const char *path, struct error *reterr);
};

extern const struct format_ops prf_format, pprof_format;

/* The table; its last row, of any name, is pprof's. */
extern const struct format_ops *const formats[];
extern const size_t format_count;

/* The format that a file called PATH has. */
const struct format_ops *format_of_path(const char *path);

/* Read the file at PATH, whatever its format; HINTS may be NULL.  As format_ops.read.
 * Signal-safe: no.  Thread-safe: yes. */
int format_read(const char *path, const struct format_hints *hints, struct profile **ret_profile,
		struct error *reterr);

#endif
