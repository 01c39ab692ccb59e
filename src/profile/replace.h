/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_PROFILE_REPLACE_H
#define PROFIL_PROFILE_REPLACE_H

#include "base/error.h"

/* A file that is replaced whole or not at all: what is written goes to a temporary file in the
 * same folder, which takes the old one's place at the end.  What is no regular file (a device, a
 * pipe) is written in place. */
struct replace {
	int fd;		 /* write here; -1 when not open */
	char *path;	 /* what will be replaced, behind symbolic links (follow.h); heap */
	char *temporary; /* NULL when written in place; heap */
};

/* Returns 0 or -errno with a sentence; after 0 the caller ends it with one of the two below. */
int replace_open(struct replace *replace, const char *path, struct error *reterr);

/* Whether PATH could be replaced, found out by making and removing a temporary file beside it. Says
 * yes to a device or pipe, which to open would be an act.  Returns 0 or -errno with a sentence. */
int replace_check(const char *path, struct error *reterr);

/* Sync, and put the file in its place; as replace_abandon() when that fails.
 * Returns 0 or -errno, the sentence is the caller's, replace_error(). */
int replace_commit(struct replace *replace);

/* Leave PATH as it was and nothing beside it; takes an ended one. */
void replace_abandon(struct replace *replace);

/* The sentence for CODE, a negative errno, met while PATH was written; returns CODE. */
int replace_error(struct error *reterr, int code, const char *path);

#endif
