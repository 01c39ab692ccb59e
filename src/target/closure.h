/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

/* The files whose code a program runs from its start: its own, its loader and the libraries that it
 * asks for, as that loader itself finds them. */
struct closure {
	char **paths; /* heap; the program's own first */
	size_t count, capacity;
};

/* Find those of PROGRAM, found as execvp(3) does, of a script its interpreter's.  What cannot be
 * found is left out.  The caller frees it with closure_done(). */
void closure_find(const char *program, struct closure *ret_closure);
void closure_done(struct closure *closure);
