/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/keyset.h"
#include "unwind/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a file of which only the frame pointers are known (UNWIND_FRAMED), what the code of one
 * function says, followed from its first instruction on. */
struct unwind_answer {
	/* A walk that takes the caller from where the frame pointer says, and in an innermost
	 * function from what its next instruction tells, as the one in the kernel does, has the
	 * right one.  What cannot be followed is not sure. */
	bool is_sure;
	bool is_known;
	bool has_rule; /* there is one, for who can ask before */
	struct unwind_rule rule;
};

/* What was found out.  Zeroed is empty. */
struct unwind_answers {
	struct keyset asked;
	struct unwind_answer *all; /* heap; by their numbers */
	size_t capacity;
};

/* About OFFSET of the file FD, which is the caller's NUMBER.  IS_EXACT: the instruction there runs
 * next; else the call there has been made.  To follow a function's code takes 50 us, and up to some
 * milliseconds: if MAY_FOLLOW.  Returns NULL where nothing is known, or memory is short; valid
 * until the next call. */
const struct unwind_answer *unwind_answer(struct unwind_answers *answers, int fd, uint32_t number,
					  uint64_t offset, bool is_exact, bool may_follow);
void unwind_answers_done(struct unwind_answers *answers);

/* Whether TABLE has such code. */
bool unwind_has_framed(const struct unwind_table *table);
