/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "profile/profile.h"

/* Profiles as files, profil's own and those of other programs: one file each, one row each in
 * format.c's table. */

/* What a reader may be told that a file does not say itself.  NULL: not known. */
struct format_hints {
	const char *program; /* the program that was measured */
	const char *map;     /* its MAP file (a DOS program's); else what stands beside the file */
};

/* A file that is read: all of it, unpacked where it was gzipped.  A format known by its ending
 * reads the file itself, and what stands beside it: there are no bytes then. */
struct format_source {
	const char *path; /* for what is said of it */
	const uint8_t *bytes;
	size_t size;
	struct format_hints hints;
};

struct format_ops {
	const char *name;    /* in one word: "gmon" */
	const char *summary; /* what it is, in a few words */
	/* The file it is written to when none is named; NULL: standard output. */
	const char *usual;
	/* Whether it has call stacks, of any value, but no word for inlined functions, which can be
	 * calls. */
	bool calls_inlined;
	/* What its files' names end with, in any case; NULL: the content tells. */
	const char *ending;
	/* Whether the bytes look like this format; the last row of the table takes all others,
	 * and says what is wrong in its words.
	 * NULL: not read, or known by its ending. */
	bool (*recognises)(const struct format_source *source);
	/* The profile in SOURCE.  Ticks of a stack are those of its innermost frame.  Returns 0 and
	 * *RET_PROFILE, the caller's, or -errno with a sentence; bad bytes are -EBADMSG.
	 * NULL: not read. */
	int (*read)(const struct format_source *source, struct profile **ret_profile,
		    struct error *reterr);
	/* Put PROFILE at PATH (NULL: standard output), whole or not at all (profile/replace.h).
	 * What the format cannot hold is left out and told in RET_LEFT, one sentence, "" where it
	 * holds all.  Returns 0, or -errno with a sentence; -ENOTSUP: nothing of this profile can
	 * be said in the format.  NULL: not written. */
	int (*write)(const struct profile *profile, const char *path, struct error *ret_left,
		     struct error *reterr);
};

extern const struct format_ops prf_format, pprof_format, folded_format, callgrind_format,
	gmon_gnu_format, gmon_bsd44_format, gmon_bsd_format, mon_format, speedscope_format,
	firefox_format, gperftools_format, perf_data_format, perf_script_format, llvm_format,
	bolt_format, autofdo_format, llvm_contexts_format;

/* The table; its last row is pprof's. */
extern const struct format_ops *const formats[];
extern const size_t format_count;

/* What the bytes of SOURCE are; pprof's where they are nothing. */
const struct format_ops *format_of(const struct format_source *source);

/* The format called NAME that is written, or NULL. */
const struct format_ops *format_called(const char *name);

/* The format that a file called PATH has by its ending; pprof's where no other is. */
const struct format_ops *format_of_path(const char *path);

/* Read the file at PATH ("-": standard input), whatever its format; HINTS may be NULL.  Returns as
 * format_ops.read. Signal-safe: no.  Thread-safe: yes. */
int format_read(const char *path, const struct format_hints *hints, struct profile **ret_profile,
		struct error *reterr);

/* The same of bytes that are there already, whatever they are. */
int format_parse(const struct format_source *source, struct profile **ret_profile,
		 struct error *reterr);
