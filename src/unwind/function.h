/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/flow.h"

/* Where functions begin in code that nothing describes, and what following one tells. */

enum {
	FUNCTION_ALIGNMENT = 16,
	FUNCTION_LINE = 64, /* of those of compilers that fill up cache lines */
};

/* A piece of code. */
struct text {
	const uint8_t *bytes;
	size_t size;
	int fd;		 /* the file that it is of */
	uint32_t offset; /* in it */
	size_t lead;	 /* bytes at the front that only show what comes before it */
	/* Up to LOOKED, between any two functions there is an int3, up to a cache line. */
	bool is_filled;
	bool has_traps; /* behind several int3 a function begins, too, where none fills up lines */
	size_t looked;
	struct flow flow;
};

/* Whether lines are filled up from AT on, in MOST bytes: V8's compiler does so, with one byte at
 * least. */
void text_look_at_filling(struct text *text, size_t at, size_t most);

/* Whether a function begins at AT: of a compiler that fills up lines each is seen, of others one
 * that sets up a frame pointer. */
bool text_begins(const struct text *text, size_t at);

/* Follow the function that begins at START, up to *RET_END, where the next one does.  Returns as
 * flow_follow() does. */
int text_follow(struct text *text, size_t start, size_t *ret_end);
