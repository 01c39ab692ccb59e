/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What it takes to find the caller of a function in one file, compiled from its call frame
 * information (.eh_frame or .debug_frame).  Rows and rules are plain data of fixed size, so that
 * BPF maps, shared memory and a cache on disk can hold them as they are. */

/* The registers that a rule starts from.  The stack pointer, the frame pointer and rbx (ebx) are
 * known in every frame; the others only in the innermost one, or where a signal interrupted. */
enum unwind_register {
	UNWIND_SP,
	UNWIND_BP,
	UNWIND_BX,
	UNWIND_OTHER, /* UNWIND_OTHER + n is DWARF's register n of the machine */
};

/* Where a register of the caller was saved. */
enum unwind_where {
	UNWIND_SAME,	    /* nowhere: it holds the caller's value */
	UNWIND_LOST,	    /* not to be had */
	UNWIND_AT_CFA,	    /* at the CFA + offset */
	UNWIND_AT_SP,	    /* at the stack pointer + offset, as a signal frame has it */
	UNWIND_AT_BP,	    /* at the frame pointer + offset */
	UNWIND_IN_REGISTER, /* in register OFFSET, an enum unwind_register */
};

enum unwind_saved {
	UNWIND_RETURN, /* the return address; never UNWIND_SAME */
	UNWIND_SAVED_BP,
	UNWIND_SAVED_BX,
	UNWIND_SAVED_COUNT,
};

struct unwind_place {
	int16_t offset;
	uint16_t where; /* enum unwind_where */
};

enum unwind_rule_flag {
	UNWIND_DEREFERENCE = 1, /* the CFA is the word there, plus ADDEND */
	UNWIND_STUB = 2,	/* in a PLT: one word more from byte ADDEND of 16 on */
	UNWIND_SIGNAL = 4,	/* what lies below was interrupted and did not call */
	/* The caller is on another stack of the thread's.  At the thread pointer + CFA_OFFSET, and
	 * from there on at the offset of each place, is where to look next: 0 for the third, then
	 * nobody has called.  There the other stack's pointer is noted down, and what it returns to
	 * is there on the stack, or where ADDEND is 0, noted down behind it. */
	UNWIND_OTHER_STACK = 8,
	/* Of code that keeps frame pointers and has not been followed: the caller is where the
	 * frame pointer says, if the function has set it up by then (framed.h). */
	UNWIND_FRAMED = 16,
};

/* The canonical frame address (CFA) is what the stack pointer was in the caller before the call. */
struct unwind_rule {
	int32_t cfa_offset;
	int16_t addend;
	uint8_t cfa_register; /* enum unwind_register */
	uint8_t flags;	      /* enum unwind_rule_flag */
	struct unwind_place saved[UNWIND_SAVED_COUNT];
};

/* Rules that are no rule; those of a file follow. */
enum {
	UNWIND_UNKNOWN, /* nothing covers the code, or what does is not understood */
	UNWIND_OUTERMOST,
	UNWIND_FIRST_RULE,
};

/* From OFFSET of the file on, up to the next row, RULE holds. */
struct unwind_row {
	uint32_t offset;
	uint16_t rule;
	uint16_t back; /* rows back to where the function begins; UINT16_MAX where it is further */
};

struct unwind_table {
	struct unwind_row *rows; /* heap; sorted, offsets differ */
	size_t row_count;
	struct unwind_rule *rules; /* heap; rule N of a row is rules[N] */
	size_t rule_count;
	uint32_t word_size; /* of the program: 4 or 8 */
};

void unwind_table_done(struct unwind_table *table);

/* The row that OFFSET is in, or NULL before the first.  Signal-safe: yes. */
const struct unwind_row *unwind_find(const struct unwind_table *table, uint64_t offset);
