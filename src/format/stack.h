/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile/profile.h"

/* The call stack of a cell, frame by frame, in profiles that have call stacks. */
struct stack_frame {
	uint32_t location; /* index in locations */
	bool is_call;	   /* its address is that of a return, less 1 */
};

/* Zeroed is empty. */
struct stack {
	struct stack_frame *frames; /* callers first, the cell's own place last */
	size_t count, capacity;
};

/* Returns 0 or -ENOMEM; STACK can be filled again, and is freed by stack_done(). */
int stack_fill(struct stack *stack, const struct profile *profile, const struct profile_cell *cell);
void stack_done(struct stack *stack);

/* What stands where the callers of a stack are not known: "[truncated: the reason]". */
struct stack_cut {
	char text[128];
};
struct stack_cut stack_cut_name(const struct profile_cell *cell);

/* The other way: the reason that NAME, of SIZE bytes, tells, or STACK_NONE. */
enum stack_end stack_cut_end(const char *name, size_t size);
