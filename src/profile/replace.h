/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum replace_how {
	REPLACE_PRIVATE = 1, /* for its owner alone: mode 0600 */
	REPLACE_KEEP = 2, /* what is replaced stays, under the name that beside() makes of "old" */
};

/* A file that is replaced whole or not at all: what is written goes to a temporary file in the
 * same folder, which takes the old one's place at the end.  What is no regular file (a device, a
 * pipe) is written in place; a pipe that nobody reads is an error, and is not waited for.
 *
 * The mode is 0666, or 0600, less the umask.  The file is its writer's; where root was told to
 * write it by sudo(8), it is the user's who told, if it is new or was his. */
struct replace {
	int fd;		 /* write here; -1 when not open */
	char *path;	 /* what will be replaced, behind symbolic links (follow.h); heap */
	char *temporary; /* NULL when written in place; heap */
	char *old;	 /* where what is replaced goes; NULL: away; heap */
};

/* HOW is of enum replace_how.  What could not be put in its place in the end is refused now.
 * Returns 0 or -errno with a sentence; after 0 the caller ends it with one of the two below. */
int replace_open(struct replace *replace, const char *path, unsigned how, struct error *reterr);

/* Whether PATH could be replaced, found out by making and removing a temporary file beside it. Says
 * yes to a device or pipe, which to open would be an act.  Returns 0 or -errno with a sentence. */
int replace_check(const char *path, unsigned how, struct error *reterr);

/* Whether PATH would be written in place. */
bool replace_in_place(const char *path);

/* Sync, and put the file in its place; as replace_abandon() when that fails.
 * Returns 0 or -errno, the sentence is the caller's, replace_error(). */
int replace_commit(struct replace *replace);

/* All three: replace PATH by SIZE bytes of DATA.  Returns 0 or -errno with a sentence. */
int replace_with(const char *path, unsigned how, const void *data, size_t size,
		 struct error *reterr);

/* Leave PATH as it was and nothing beside it; takes an ended one. */
void replace_abandon(struct replace *replace);

/* The sentence for CODE, a negative errno, met while PATH was written; returns CODE. */
int replace_error(struct error *reterr, int code, const char *path);
