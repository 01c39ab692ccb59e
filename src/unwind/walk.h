/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "unwind/table.h"

#include <stdbool.h>

/* One step of a walk up the stack: from a frame to its caller's by a rule.  The same source is
 * compiled for BPF, for the collector and for a signal handler, so unwind_step() calls nothing but
 * READ, which is inlined, and trusts nothing that it reads.  Signal-safe: yes. */

/* Why a walk ends. */
enum unwind_end {
	UNWIND_GOES_ON,
	UNWIND_WHOLE,	     /* there is no caller */
	UNWIND_NO_RULE,	     /* nothing says how to find one */
	UNWIND_NO_REGISTER,  /* the rule needs a register whose value is not known any more */
	UNWIND_NOT_READABLE, /* the stack could not be read */
	UNWIND_NO_PROGRESS,  /* the caller's stack would lie below its callee's: damaged */
	UNWIND_NO_TABLE,     /* of the file that the frame is in: it may come later */
	UNWIND_TOO_DEEP,     /* more calls than there is room for */
	UNWIND_END_COUNT,
};

struct unwind_frame {
	uint64_t ip, sp, bp, bx;
	const uint64_t *registers; /* by DWARF's numbers, in an innermost frame, else NULL */
	uint8_t has_bp, has_bx;
	/* IP is the instruction that runs next: of an innermost frame, or one that a signal
	 * interrupted.  Else it is a return address, and the call before it is what runs. */
	uint8_t is_exact;
};

/* Read a word of SIZE bytes at ADDRESS of the program; 0 where it cannot be. */
typedef int unwind_read_fn(void *context, uint64_t address, uint32_t size, uint64_t *ret_word);

#define UNWIND_INLINE static inline __attribute__((always_inline))

/* The address in FRAME by which a rule is found. */
UNWIND_INLINE uint64_t unwind_address(const struct unwind_frame *frame)
{
	return frame->is_exact ? frame->ip : frame->ip - 1;
}

UNWIND_INLINE int unwind_value(const struct unwind_frame *frame, unsigned which,
			       uint64_t *ret_value)
{
	switch (which) {
	case UNWIND_SP:
		*ret_value = frame->sp;
		return 1;
	case UNWIND_BP:
		*ret_value = frame->bp;
		return frame->has_bp;
	case UNWIND_BX:
		*ret_value = frame->bx;
		return frame->has_bx;
	default:
		if (!frame->registers || which - UNWIND_OTHER > 15)
			return 0;
		*ret_value = frame->registers[which - UNWIND_OTHER];
		return 1;
	}
}

UNWIND_INLINE enum unwind_end unwind_cfa(const struct unwind_frame *frame,
					 const struct unwind_rule *rule, uint32_t word_size,
					 unwind_read_fn *read, void *context, uint64_t *ret_cfa)
{
	uint64_t cfa;

	if (!unwind_value(frame, rule->cfa_register, &cfa))
		return UNWIND_NO_REGISTER;
	cfa += (uint64_t)(int64_t)rule->cfa_offset;
	if ((rule->flags & UNWIND_STUB) && (int16_t)(frame->ip & 15) >= rule->addend)
		cfa += word_size;
	if (rule->flags & UNWIND_DEREFERENCE) {
		if (!read(context, cfa, word_size, &cfa))
			return UNWIND_NOT_READABLE;
		cfa += (uint64_t)(int64_t)rule->addend;
	}
	*ret_cfa = cfa;
	return UNWIND_GOES_ON;
}

/* The type of unwind_restore(), which follows. */
typedef enum unwind_end unwind_restore_fn(const struct unwind_frame *frame,
					  const struct unwind_place *place, uint64_t cfa,
					  uint32_t word_size, unwind_read_fn *read, void *context,
					  uint64_t *value, uint8_t *is_known);

/* The value of what was saved at PLACE.  VALUE is what it holds now, valid where IS_KNOWN; both are
 * the caller's afterwards. */
UNWIND_INLINE enum unwind_end unwind_restore(const struct unwind_frame *frame,
					     const struct unwind_place *place, uint64_t cfa,
					     uint32_t word_size, unwind_read_fn *read,
					     void *context, uint64_t *value, uint8_t *is_known)
{
	uint64_t address = (uint64_t)(int64_t)place->offset, word;

	switch (place->where) {
	case UNWIND_SAME:
		return UNWIND_GOES_ON;
	case UNWIND_AT_CFA:
		address += cfa;
		break;
	case UNWIND_AT_SP:
		address += frame->sp;
		break;
	case UNWIND_AT_BP:
		if (!frame->has_bp) {
			*is_known = 0;
			return UNWIND_GOES_ON;
		}
		address += frame->bp;
		break;
	case UNWIND_IN_REGISTER:
		*is_known = (uint8_t)unwind_value(frame, (unsigned)place->offset, value);
		return UNWIND_GOES_ON;
	default:
		*is_known = 0;
		return UNWIND_GOES_ON;
	}
	if (!read(context, address, word_size, &word)) {
		/* What lies below the stack pointer has been popped: the register has it again.
		 * Compilers do not say so, for who reads memory finds the same there. */
		return frame->is_exact && address < frame->sp ? UNWIND_GOES_ON
							      : UNWIND_NOT_READABLE;
	}
	*value = word;
	*is_known = 1;
	return UNWIND_GOES_ON;
}

/* unwind_step(), where RESTORE stands for unwind_restore(). */
UNWIND_INLINE enum unwind_end unwind_step_with(struct unwind_frame *frame,
					       const struct unwind_rule *rule, uint32_t word_size,
					       unwind_read_fn *read, unwind_restore_fn *restore,
					       void *context)
{
	uint8_t is_signal = !!(rule->flags & UNWIND_SIGNAL), has_ip = 0;
	struct unwind_frame caller; /* field by field: some compilers copy the whole by a call */
	enum unwind_end end;

	if (rule->flags & UNWIND_OTHER_STACK)
		return UNWIND_NO_RULE; /* it is the thread's own memory that tells */
	caller.ip = 0;
	caller.bp = frame->bp;
	caller.bx = frame->bx;
	caller.has_bp = frame->has_bp;
	caller.has_bx = frame->has_bx;
	end = unwind_cfa(frame, rule, word_size, read, context, &caller.sp);
	if (end != UNWIND_GOES_ON)
		return end;
	/* A signal's handler may run on a stack of its own; a leaf may have nothing on its. */
	if (!is_signal && (caller.sp < frame->sp || (caller.sp == frame->sp && !frame->is_exact)))
		return UNWIND_NO_PROGRESS;
	end = restore(frame, &rule->saved[UNWIND_RETURN], caller.sp, word_size, read, context,
		      &caller.ip, &has_ip);
	if (end == UNWIND_GOES_ON)
		end = restore(frame, &rule->saved[UNWIND_SAVED_BP], caller.sp, word_size, read,
			      context, &caller.bp, &caller.has_bp);
	if (end == UNWIND_GOES_ON)
		end = restore(frame, &rule->saved[UNWIND_SAVED_BX], caller.sp, word_size, read,
			      context, &caller.bx, &caller.has_bx);
	if (end != UNWIND_GOES_ON)
		return end;
	if (!has_ip)
		return UNWIND_NO_REGISTER;
	frame->ip = caller.ip;
	frame->sp = caller.sp;
	frame->bp = caller.bp;
	frame->bx = caller.bx;
	frame->registers = NULL;
	frame->has_bp = caller.has_bp;
	frame->has_bx = caller.has_bx;
	frame->is_exact = is_signal;
	return UNWIND_GOES_ON;
}

/* Make FRAME its caller's by RULE, which is one of a table's (UNWIND_FIRST_RULE on).
 * Returns UNWIND_GOES_ON, or why there is no caller; FRAME is then not to be used. */
UNWIND_INLINE enum unwind_end unwind_step(struct unwind_frame *frame,
					  const struct unwind_rule *rule, uint32_t word_size,
					  unwind_read_fn *read, void *context)
{
	return unwind_step_with(frame, rule, word_size, read, unwind_restore, context);
}

/* Of code that keeps frame pointers: whether the function of the instruction at ADDRESS has none
 * now, by the bytes BEFORE it.  The frame has just been given back; or the function begins near by,
 * behind some int3, and has not set one up.  These may be parts of other instructions: somebody has
 * to follow the code (framed.h). */
enum { UNWIND_CODE_BEFORE = 32 };

UNWIND_INLINE int unwind_has_given_back(const uint8_t before[UNWIND_CODE_BEFORE])
{
	return before[31] == 0x5d && before[30] != 0x41; /* pop %rbp, and not pop %r13 */
}

/* For BACK = 1 on, as long as it is 0: 1: it is before its frame; -1: it has set one up. */
UNWIND_INLINE int unwind_before_frame(const uint8_t before[UNWIND_CODE_BEFORE], unsigned back,
				      uint64_t address)
{
	unsigned at = (UNWIND_CODE_BEFORE - back) & 31;

	if (back > 3 && before[at] == 0x55 && before[(at + 1) & 31] == 0x48 &&
	    before[(at + 2) & 31] == 0x89 && before[(at + 3) & 31] == 0xe5)
		return -1; /* push %rbp; mov %rsp,%rbp */
	return before[at] == 0xcc && before[(at - 1) & 31] == 0xcc && !((address - back + 1) & 15);
}

/* Whether ROW of TABLE has a rule to step by: a table that others write may say anything. */
UNWIND_INLINE bool unwind_has_rule(const struct unwind_table *table, const struct unwind_row *row)
{
	return row->rule >= UNWIND_FIRST_RULE && row->rule < table->rule_count;
}

/* The same by the rule that TABLE has at OFFSET of its file, where unwind_address() lies. */
UNWIND_INLINE enum unwind_end unwind_step_by(const struct unwind_table *table, uint64_t offset,
					     struct unwind_frame *frame, unwind_read_fn *read,
					     void *context)
{
	const struct unwind_row *row = unwind_find(table, offset);

	if (row && row->rule == UNWIND_OUTERMOST)
		return UNWIND_WHOLE;
	if (!row || !unwind_has_rule(table, row))
		return UNWIND_NO_RULE;
	/* It is not certain that the function has set its frame pointer up. */
	if (table->rules[row->rule].flags & UNWIND_FRAMED)
		return UNWIND_NO_RULE;
	return unwind_step(frame, &table->rules[row->rule], table->word_size, read, context);
}
