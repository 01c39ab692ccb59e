/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The text of a source file, line by line. */

enum source_state {
	SOURCE_READ,
	SOURCE_MISSING,	   /* nothing at that path here */
	SOURCE_UNREADABLE, /* there, but not to be read, or no text file of a sane size */
};

struct source_file {
	enum source_state state;
	char *text;	    /* all of it, its lines ended by NUL; heap */
	const char **lines; /* the first line is lines[0]; heap */
	uint32_t line_count;
	int64_t mtime_ns; /* since the epoch */
};

/* Read PATH, at most 64 MiB of it; tabs are widened to eight columns.  What cannot be read is no
 * error but a state.  Returns 0 or -ENOMEM; the caller frees *RET_SOURCE with source_file_done().
 */
int source_file_read(const char *path, struct source_file *ret_source);
void source_file_done(struct source_file *source);

/* Line NUMBER, from 1, or NULL when there is none. */
const char *source_file_line(const struct source_file *source, uint32_t number);
