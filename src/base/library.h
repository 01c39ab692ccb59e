/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Libraries that few commands want.  Linked, each would be loaded and relocated at every start,
 * also of a run to be measured; these are loaded when they are wanted, and stay. */

struct library_call {
	const char *name; /* "cairo_fill" */
	void *pointer;	  /* of a pointer to a function of its type */
};

/* Load SONAME and set the pointers of COUNT CALLS.  Returns false, some of them set, when it is not
 * here or does not have them all.  Signal-safe: no.  Thread-safe: yes, on distinct CALLS. */
bool library_load(const char *soname, const struct library_call *calls, size_t count);
