/* SPDX-License-Identifier: BSD-2-Clause */
/* The program that is measured: loaded by DOS, entered as DOS would enter it, and all its ways
 * out, which lead back here. */
#ifndef CHILD_H
#define CHILD_H

/* The parameter block of INT 21h/4B01h, as DOS has it. */
struct child_block {
	unsigned environment; /* 0: a copy of the own one */
	unsigned tail_offset, tail_segment;
	unsigned fcb1_offset, fcb1_segment;
	unsigned fcb2_offset, fcb2_segment;
	unsigned stack_offset, stack_segment; /* these four DOS fills in */
	unsigned entry_offset, entry_segment;
};

/* How to enter it. */
struct child_start {
	unsigned stack_offset, stack_segment;
	unsigned entry_offset, entry_segment;
	unsigned psp;
	unsigned ax; /* which drives of the two FCBs are wrong */
};

/* Load PATH with the command tail TAIL (its length, the text, a CR; at most 128 bytes), put both
 * FCBs into its PSP, and let its ways out lead here.  It is DOS's current process then.
 * Returns 0 with START filled in, or DOS's error. */
unsigned child_prepare(const char *path, const char *tail, struct child_start *start);

/* Enter the program, with interrupts off until it is there.
 * Returns when it has ended, with interrupts off: 0 when it ended by itself or stays resident, 1
 * when Ctrl-C (INT 23h) or a divide error ended it. */
int child_enter(const struct child_start *start);

/* Whether the program that has ended is still there; RET_CODE is its exit code.  DOS answers once.
 */
int child_is_resident(unsigned *ret_code);

/* In enter.s, where child_prepare() and main find them; not for C to call. */
unsigned child_load(const char *path, struct child_block *block);
void child_ended(void);
void child_ctrl_c(void);
void child_divide_error(void);

#endif
