/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/walk.h"

#include <stdbool.h>

/* A walk from a sample's registers up its stack: where each frame lies, who called it, and which
 * calls count as one.  Allocates nothing.  Signal-safe: yes, where the caller's functions are. */

/* Where an address lies. */
struct unwind_site {
	uint64_t space; /* the caller's own name for the file, or for what else it is in */
	uint64_t offset;
	const struct unwind_table *table; /* NULL: there is none yet */
	bool has_pointers;		  /* there will be none, but frame pointers perhaps */
};

/* Find where ADDRESS lies.  Returns UNWIND_GOES_ON, or why the walk ends before it. */
typedef enum unwind_end unwind_site_fn(void *context, uint64_t address,
				       struct unwind_site *ret_site);

/* The rule of the code at SITE, of which the table knows the frame pointers only (UNWIND_FRAMED).
 * IS_EXACT is the frame's.  Returns UNWIND_GOES_ON, or why the walk ends there. */
typedef enum unwind_end unwind_framed_fn(void *context, const struct unwind_site *site,
					 bool is_exact, struct unwind_rule *ret_rule);

/* A call that was on the stack. */
struct unwind_call {
	uint64_t space, offset; /* the return address; where INTERRUPTED the instruction itself */
	bool interrupted, folded;
};

struct unwind_walk {
	struct unwind_frame frame; /* at first the innermost one */
	uint32_t word_size;
	uint32_t count, most; /* calls that were found, innermost first, and that there is room for
			       */
	struct unwind_call *calls;
	bool no_fold; /* a function that calls itself is each of its calls */
	unwind_site_fn *find;
	unwind_read_fn *read;
	unwind_framed_fn *framed;	   /* NULL: nothing tells */
	void *context;			   /* of all */
	const struct unwind_row *function; /* that the last call is in; NULL: not known */
};

/* Add CALL of FUNCTION, unless it is one with the last one.  Returns whether there was room. */
bool unwind_keep(struct unwind_walk *walk, const struct unwind_call *call,
		 const struct unwind_row *function);

/* Walk up from WALK's frame to the thread's first function.  HAS_SAMPLE: the first frame is the
 * sample itself, which is no call.  Returns why it ends there, never UNWIND_GOES_ON. */
enum unwind_end unwind_callers(struct unwind_walk *walk, bool has_sample);
