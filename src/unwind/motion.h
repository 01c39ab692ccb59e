/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/instruction.h"
#include "unwind/table.h"

/* What is known of the caller's frame at one place in the code of x86-64, and what an instruction
 * makes of it.  What is not certain is not known. */

enum {
	MOTION_UNKNOWN = INT16_MIN, /* where the CFA is, or the caller's frame pointer */
	MOTION_KEPT = 0,	    /* the caller's frame pointer is in %rbp */
};

struct motion {
	int16_t sp, bp;	 /* the CFA less the register, or MOTION_UNKNOWN */
	int16_t saved;	 /* where the caller's %rbp is, from the CFA on */
	int16_t call;	 /* the same of where the call returns to */
	uint8_t taken;	 /* the register that has that, and 1, so that it is nowhere else; or 0 */
	uint8_t reached; /* 0: nobody has been there */
};

/* At a function's first instruction. */
extern const struct motion motion_at_entry;

/* Whether the next instruction may be another function's first, or a return. */
bool motion_is_entry(const struct motion *motion);

/* BEFORE and after INSTRUCTION, which goes on with the next.  After a call the stack pointer is
 * what it was only if CALLS_KEEP_SP. */
struct motion motion_after(struct motion before, const struct instruction *instruction,
			   bool calls_keep_sp);

/* Whether nothing is known of where the caller's frame is. */
bool motion_is_lost(const struct motion *motion);

/* Whether INSTRUCTION calls, or takes the stack down to the frame pointer. */
bool motion_calls(const struct instruction *instruction);
bool motion_takes_down(const struct instruction *instruction);

/* Whether two say the same; NULL: nothing is known. */
bool motion_is_same(const struct motion *a, const struct motion *b);

/* Make TO what both say; true where it is changed. */
bool motion_meet(struct motion *to, const struct motion *from);

/* The rule where not all is lost. */
struct unwind_rule motion_rule(const struct motion *motion);
