/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the walk up the stack in the BPF object and the code that gives it its tables agree on.
 * Included by both; <linux/types.h> only. */
#include <linux/types.h>

#include "engine/kernel/kernel.h"

#define STACK_FRAMES 512       /* the most that --max-stack can be */
#define STACK_DEEPEST 256      /* where nothing is said */
#define STACK_KERNEL_FRAMES 32 /* of the kernel's own part of a stack */
#define STACK_NEW_NODES 64     /* contexts that one tick may add */
#define STACK_CONTEXTS 262144u /* --contexts */
#define STACK_RULES 8192       /* different ones of all files; a closure has some 1,000 */
#define STACK_TABLES (KERNEL_FILES + 16)
#define STACK_TABLE_VDSO KERNEL_FILES
#define STACK_TABLE_VDSO32 (KERNEL_FILES + 1)
#define STACK_ROWS_IN_PAGE_BITS 16 /* a page of the index has at most so many halvings */

/* In the order of histogram/histogram.h's enum stack_end. */
enum kernel_stack_end {
	KERNEL_STACK_NONE,
	KERNEL_STACK_WHOLE,
	KERNEL_STACK_NO_TABLE,
	KERNEL_STACK_NO_RULE,
	KERNEL_STACK_NOT_READABLE,
	KERNEL_STACK_TOO_DEEP,
	KERNEL_STACK_TREE_FULL,
	KERNEL_STACK_TREE_GROWING,
	KERNEL_STACK_BUSY,
	KERNEL_STACK_EXITING,
	KERNEL_STACK_GUARDED,
	KERNEL_STACK_INTERPRETED = 13,
	KERNEL_STACK_TABLES_FULL,
	KERNEL_STACK_NOT_SAMPLED,
	KERNEL_STACK_WAITS_FULL,
};

/* The calling context of a cell is named by a number made of all its calls: two ways of the same
 * calls are one, and no counter has to be given out. */
struct kernel_stack_key {
	struct kernel_cell_key place;
	__u64 context; /* 0: none */
	__u32 end;     /* enum kernel_stack_end */
	__u32 zero;
};

enum kernel_call_flag {
	KERNEL_CALL_INTERRUPTED = 1,
	KERNEL_CALL_FOLDED = 2,
};

/* A call of a context, and the context it was made in, which is before it in the table.  Two CPUs
 * that add one at the same time make it two entries, which are equal. */
struct kernel_call {
	__u64 number; /* of the context; 0: it is being written */
	__u64 address;
	__u32 file; /* as in a cell's key */
	__u32 task;
	__u32 parent; /* index in the table, and 1; 0: none */
	__u32 flags;
};

/* Where contexts are by their numbers: an index and 1, in the first free slot from the number's on.
 */
#define STACK_SLOTS 1024 /* in a part, a power of two */

struct kernel_context_slots {
	__u32 at[STACK_SLOTS];
};

#define STACK_RECENT 512 /* a power of two; all of it stays below 32 KiB */

struct kernel_stack_recent_cell {
	struct kernel_stack_key key;
	__u64 ticks; /* 0: free */
};

struct kernel_stack_recent {
	struct kernel_stack_recent_cell cells[STACK_RECENT];
};

enum kernel_table_state {
	KERNEL_TABLE_UNKNOWN,
	KERNEL_TABLE_LAUNCHER, /* profil's own, which is about to execute the program */
	KERNEL_TABLE_ASKED,    /* the collector was told of the file */
	KERNEL_TABLE_READY,
	KERNEL_TABLE_EMPTY, /* there is no call frame information: frame pointers tell */
	KERNEL_TABLE_FULL,  /* there was no room for it */
	KERNEL_TABLE_NONE,  /* and there will be none, for want of the file */
};

/* What the collector is told of: the file NUMBER has no table yet, or, as KERNEL_ASKED_PROGRAM, the
 * program that PID has begun to run has none. */
#define KERNEL_ASKED_PROGRAM (~0u)

struct kernel_asked {
	__u32 number;
	__u32 pid;
};

/* A file's table: where its part of the index of all begins. */
struct kernel_table {
	__u32 state;
	__u32 first_offset;
	__u32 page_base, page_count;
	__u32 page_shift;
	__u32 word_size; /* of the programs it is for */
	__u32 python;	 /* which of the interpreters it is; 0: none */
	__u32 zero;
};

/* The rows of one page of code: the first that can hold in it, and the last and 1. */
struct kernel_table_page {
	__u32 low, high;
};

/* unwind/table.h's row; RULE is a number among those of all files. */
struct kernel_table_row {
	__u32 offset;
	__u16 rule;
	__u16 back;
};

enum kernel_rule_kind {
	KERNEL_RULE_SLOW,  /* unwind_step() reads it */
	KERNEL_RULE_BY_SP, /* CFA = rsp + n, what is saved lies just below it */
	KERNEL_RULE_BY_BP,
	KERNEL_RULE_SIGNAL, /* slow, too: of what a signal's handler returns to */
	KERNEL_RULE_OTHER_STACK,
	KERNEL_RULE_FRAME_POINTER,
	KERNEL_RULE_END, /* instead of a rule, in a struct stack_row alone */
};

/* A rule, and what most rules come to. */
struct kernel_rule {
	__u8 whole[20]; /* struct unwind_rule */
	__s32 cfa;
	__s16 low; /* the lowest of what is saved, from the CFA */
	__s16 bp;  /* from the CFA; 0: it is what it was */
	__s16 bx;
	__u16 kind;
};
