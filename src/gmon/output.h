/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that is replaced whole or not at all, as the handler of a fatal signal can write one: no
 * malloc and no stdio (which is why it is not profile/replace.h).  All functions are signal-safe.
 */

struct text {
	char start[PATH_MAX];
	size_t length;
	bool is_cut; /* it did not fit */
};

void text_add(struct text *text, const char *more);
void text_add_number(struct text *text, unsigned long number);

/* One line on stderr, "profil: WHAT: WHY: WHAT TO DO", written at once; errno stays. */
void output_complain(const char *what, const char *why, const char *what_to_do);

struct output {
	int fd;
	int error; /* the first errno, negative; then nothing more is written */
	char *buffer;
	size_t used;
	struct text temporary;
};

/* Begin a file that will be PATH.  Returns 0 or -errno. */
int output_open(struct output *output, const struct text *path);

void output_bytes(struct output *output, const void *bytes, size_t size);

/* Put it in PATH's place, or, if anything has failed, leave that as it was.  There is no fsync: the
 * file is whole whatever becomes of the program, not of the machine.  Returns 0 or -errno. */
int output_close(struct output *output, const struct text *path);

/* The file that is being written, or was last; for a handler that has interrupted that and will not
 * return there.  Take it, write, then take away what is left of the one before. */
void output_unfinished(struct text *ret_temporary);
void output_remove(const struct text *temporary);
