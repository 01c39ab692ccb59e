/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"
#include "profile/replace.h"

/* profile.proto, gzipped: the profile on disk.  man/profil.5.scd has the layout. */

/* What a list of profiles says of one that profil wrote: no sample's place is read. */
struct pprof_glance {
	int64_t time_ns;
	uint64_t duration_ns, samples;
	char *command; /* the caller's, free() */
};

/* Returns 0; -ENODATA where it is of another program, and is to be read whole; or what
 * pprof_read() does, without a sentence. */
int pprof_glance(const char *path, struct pprof_glance *ret_glance);

/* Write PROFILE to PATH: into a temporary file beside it, synced, then renamed, so that PATH is
 * the old file or the new one, never half of one.  A PATH that is not a regular file (/dev/null,
 * a pipe) is written in place.  The mode is 0666 less the umask; where profile_privacy() has it so,
 * 0600.
 * Returns 0, or -errno with a sentence in RETERR; then PATH is as it was and nothing is left. */
int pprof_write(const struct profile *profile, const char *path, struct error *reterr);

/* The same; a file of content that stands at PATH stays, as beside() names it by "old". */
int pprof_write_keeping(const struct profile *profile, const char *path, struct error *reterr);

/* As pprof_write(), and the SHA-256 of the file as it is unpacked (of "zcat PATH | sha256sum") in
 * *RET_DIGEST, hexadecimal.  The packing depends on zlib's version, so it is left out of it. */
struct pprof_digest {
	char text[65];
};
int pprof_write_digest(const struct profile *profile, const char *path,
		       struct pprof_digest *ret_digest, struct error *reterr);

/* Write PROFILE to FD, which stays open, not packed.  Returns 0 or -errno. */
int pprof_send(const struct profile *profile, int fd);

/* Whether pprof_write() could write PATH now, or with REPLACE_KEEP in HOW pprof_write_keeping(), so
 * that nobody finds out after a day's run. Returns 0 or -errno with a sentence; nothing is left
 * behind. */
int pprof_check(const char *path, unsigned how, struct error *reterr);

/* Whether pprof_write() would write PATH in place, so that it is not to be written twice. */
bool pprof_in_place(const char *path);

/* Read a gzipped or plain profile.proto file, ours or anybody's.  A sample with a stack is charged
 * to its innermost frame, in the context of the others.  Bad bytes give -EBADMSG and a sentence,
 * never a crash; a file that unpacks to more than 1 GiB is -EFBIG.  *RET_PROFILE is the caller's,
 * profile_free(). */
int pprof_read(const char *path, struct profile **ret_profile, struct error *reterr);

/* The same of SIZE bytes that are unpacked already; PATH is where they are from. */
int pprof_parse(const char *path, const uint8_t *bytes, size_t size, struct profile **ret_profile,
		struct error *reterr);
