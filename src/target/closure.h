/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* The files whose code a program runs from its start: its own, its loader and the libraries that it
 * asks for, as that loader itself finds them. */
struct closure {
	char **paths; /* heap; the program's own first */
	size_t count, capacity;
	pid_t loader; /* that is listing the libraries; 0: nobody is */
	int list;     /* what it writes */
};

/* Begin to find those of PROGRAM, found as execvp(3) does, of a script its interpreter's, which
 * takes the loader some milliseconds.  What cannot be found is left out.  The caller frees it with
 * closure_done(), at any time. */
void closure_begin(const char *program, struct closure *ret_closure);
/* Have all of them. */
void closure_end(struct closure *closure);
void closure_done(struct closure *closure);
