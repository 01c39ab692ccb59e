/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/motion.h"

#include <stdbool.h>

/* Where the caller's frame is at each instruction of one function, found by following its code from
 * the first on, each way that it can go. */

enum flow_result {
	FLOW_LONGER = 1, /* the function goes on behind what was taken for its end */
	FLOW_DOUBTFUL,	 /* it is none that begins there, or it is not understood */
};

enum { FLOW_ENDS = 16 };

struct flow_code;

/* Read SIZE bytes of the file's memory that nobody writes.  AT counts from the first byte of CODE
 * on.
 */
typedef bool flow_read_fn(const struct flow_code *code, int64_t at, void *ret, size_t size);

/* The code of a function, as far as it is known to be one. */
struct flow_code {
	const uint8_t *bytes;
	size_t size;
	uint32_t offset;    /* in the file */
	uint32_t alignment; /* of functions */
	/* By V8's conventions: a function takes its arguments from its caller's stack as it
	 * returns, and handlers of exceptions begin where no jump leads to. */
	bool is_v8;
	bool has_traps;	    /* functions are filled up by int3, and nop is inside one */
	flow_read_fn *read; /* tables of jumps; NULL: they are not looked for */
	int fd;		    /* for READ */
};

struct flow {
	struct motion *motions; /* heap; before the instruction at each byte */
	uint8_t *lengths;	/* heap; of those that were reached */
	uint32_t *waiting;	/* heap; places whose motion has changed */
	size_t capacity, waiting_count, waiting_capacity;
	struct flow_code code;
	struct motion common;	/* of frames where the code goes nobody knows where */
	bool is_framed;		/* a frame pointer is set up */
	uint8_t phase;		/* of a struct motion's reached */
	size_t furthest;	/* where the function leads to, FLOW_LONGER */
	size_t doubt;		/* the first instruction that cannot be, FLOW_DOUBTFUL */
	size_t ends[FLOW_ENDS]; /* behind calls that do not return */
	unsigned end_count;
	enum flow_result result;
};

/* Follow CODE from its first byte.  Returns 0, an enum flow_result, or -ENOMEM. */
int flow_follow(struct flow *flow, const struct flow_code *code);

/* What is known at byte AT; NULL: nothing. */
const struct motion *flow_motion(const struct flow *flow, size_t at);

/* The bytes that hold what flow_motion() says of AT, 1 or more. */
size_t flow_length(const struct flow *flow, size_t at);

void flow_done(struct flow *flow);
