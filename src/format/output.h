/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "profile/profile.h"
#include "profile/replace.h"

#include <stdio.h>

/* A file in another program's format while it is written: it is there whole at the end, or not at
 * all.  Errors in between are kept, and told by output_close(). */
struct output {
	const char *path; /* NULL: standard output */
	FILE *file;	  /* what is printed to, */
	FILE *under;	  /* which is this, unless it is a terminal */
	struct replace replace;
};

/* For what is made of PROFILE.  Returns 0, or -errno with a sentence; after 0 output_close() ends
 * it.  PATH must outlive it. */
int output_open(struct output *output, const struct profile *profile, const char *path,
		struct error *reterr);

void output_print(struct output *output, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void output_bytes(struct output *output, const void *bytes, size_t size);

/* TEXT with BAD bytes, and those that end a line, as REPLACEMENT. */
void output_plain(struct output *output, const char *text, const char *bad, char replacement);

/* CODE, negative: leave PATH as it was and return CODE, with the sentence of -ENOMEM for it; else
 * see that all is written and in its place.  Returns 0, or -errno with a sentence. */
int output_close(struct output *output, int code, struct error *reterr);
