/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "symbol/spans.h"

#include <elfutils/libdw.h>

/* The calls that were inlined into one function.  A function with many of them is asked for
 * thousands of times in a row, so its tree is walked once and kept until the next function. */

struct scope {
	Dwarf_Die die;	/* DW_TAG_inlined_subroutine */
	uint32_t outer; /* the scope around it, SCOPE_NONE when that is the function itself */
};
#define SCOPE_NONE UINT32_MAX

struct scopes {
	const void *function; /* whose they are; all zero is nobody's */
	struct scope *items;
	size_t count, capacity;
	struct spans ranges; /* value: the scope's index */
};

/* Make SCOPES those of FUNCTION.  Returns 0 or -ENOMEM. */
int scopes_read(struct scopes *scopes, const Dwarf_Die *function);

/* The innermost scope at ADDRESS, or SCOPE_NONE.  The one around a scope always has the lower
 * number. */
uint32_t scopes_find(const struct scopes *scopes, uint64_t address);

void scopes_done(struct scopes *scopes);
