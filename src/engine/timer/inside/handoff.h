/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What profil and the programs it measures with timers agree on: one piece of memory that all of
 * them have mapped.  profil makes it, with a size that the cells asked for need and that never
 * changes; each process adds to it at its ticks and may be killed at any instruction; profil reads.
 *
 * Nothing is locked.  Whoever wants a free cell, place or task takes it with one atomic step, and
 * what is written into it is published with another: one that dies between them leaves a free one
 * less.  Each tick is first counted as fired, then added to its cell: what lacks at the end was in
 * the hands of a process that was killed.
 *
 * Any of the processes may have written anything: profil checks what it reads. */

#define HANDOFF_MAGIC 0x33666f646e616870ull /* "phandof3": the layout below, and no other */

/* What tells a program's preloaded object where the memory is: a path. */
#define HANDOFF_VARIABLE "PROFIL_HANDOFF"
#define HANDOFF_OBJECT "libprofil-preload.so.0"

#define HANDOFF_PLACES 8192	  /* their numbers begin with 1 */
#define HANDOFF_TASKS 65536	  /* the same */
#define HANDOFF_PATHS (1 << 20)	  /* bytes, each path ended by a NUL */
#define HANDOFF_CELL_LIMIT 131072 /* unless another is asked for */

/* The same of call stacks, where they are asked for. */
#define HANDOFF_CONTEXT_LIMIT 262144
#define HANDOFF_CALLS 256		  /* of a stack */
#define HANDOFF_CALLS_MOST 512		  /* whatever is asked for */
#define HANDOFF_NEW_CONTEXTS 64		  /* that one tick may add */
#define HANDOFF_TABLES ((size_t)64 << 20) /* bytes of all unwind tables: 8 million rows */

enum handoff_kind {
	HANDOFF_FILE,
	HANDOFF_VDSO,
	HANDOFF_ANONYMOUS, /* executable memory of no file */
	HANDOFF_UNKNOWN,   /* nobody has looked yet what is mapped there */
	HANDOFF_KINDS,
};

/* 4 GiB of a file's text, of the vdso or of addresses: a cell's own part of the address is 32 bits.
 */
struct handoff_place {
	uint32_t is_ready;   /* atomic; from then on only what is atomic changes */
	uint32_t kind;	     /* an enum handoff_kind */
	uint32_t is_program; /* atomic; a process's main executable */
	uint32_t path;	     /* where in the paths; 0: "" */
	uint64_t base;	     /* of the file's offsets, or of addresses; a multiple of 4 GiB */
	uint64_t device;     /* of a file, as /proc/PID/maps has them */
	uint64_t inode;
	int64_t mtime_ns;  /* 0: not known */
	uint64_t overflow; /* atomic; ticks that found the cells full */
};

struct handoff_task {
	uint64_t id; /* atomic; handoff_task_id(); 0: free */
	char name[16];
};

#define HANDOFF_ID_BITS 22 /* of a pid: PID_MAX_LIMIT */
#define HANDOFF_ID_MASK ((1u << HANDOFF_ID_BITS) - 1)
#define HANDOFF_PROGRAMS 0xfffffu /* that are told apart: all that there is room for, but 0 */

/* TID is 0 for a whole process.  PROGRAM, of code of no file alone, is which of all that were
 * executed. */
static inline uint64_t handoff_task_id(uint32_t pid, uint32_t tid, uint32_t program)
{
	return ((uint64_t)program << HANDOFF_ID_BITS | pid) << HANDOFF_ID_BITS | tid;
}

struct handoff_cell {
	uint64_t key;	/* atomic; handoff_key(); 0: free */
	uint64_t ticks; /* atomic */
};

/* A call that was on a stack, and by its caller's number the whole stack above. */
struct handoff_context {
	uint64_t key;	 /* atomic; where it lies, as a cell's; 0: free */
	uint64_t caller; /* atomic; handoff_caller(), 0: whoever takes KEY may set it */
};

/* What is said of a caller: the number of a context (0: none is known), and above it why the stack
 * of a cell ends there, an enum stack_end, or what kind of call a context is. */
enum handoff_call {
	HANDOFF_CALLED = 1,
	HANDOFF_INTERRUPTED = 2,
	HANDOFF_FOLDED = 4,
};

static inline uint64_t handoff_caller(uint32_t context, unsigned what)
{
	return (uint64_t)what << 32 | context;
}

/* The unwind table of a place, which any process that has the file mapped may have compiled. */
struct handoff_table {
	uint64_t is_ready; /* atomic; from then on nothing changes */
	uint64_t at;	   /* its rows, in bytes of all tables, and behind them its rules */
	uint64_t row_count, rule_count;
	uint64_t word_size;
};

struct handoff {
	uint64_t magic;
	uint64_t size; /* of all, bytes */
	uint64_t period_ns;
	uint32_t by_process, by_thread;
	uint64_t cell_limit; /* that may be taken */
	uint64_t cell_room;  /* that there are: a power of 2, at least twice as many */

	/* Of call stacks: 0 where they are not asked for. */
	uint64_t context_limit, context_room; /* as of cells */
	uint32_t most_calls, no_fold;

	uint32_t ended;			  /* atomic; profil has stopped: no tick counts any more */
	uint32_t place_count, path_bytes; /* atomic; taken so far, or asked for in vain */
	uint64_t cell_count;		  /* atomic; the same */
	uint64_t context_count, table_bytes; /* atomic; the same */

	/* Atomic; they only grow. */
	uint64_t fired;
	uint64_t cells_full;   /* ticks of no file that found the cells full */
	uint64_t places_full;  /* ticks in files that found the places full */
	uint64_t cpu_ns;       /* CPU time, as far as the processes have told */
	uint64_t hidden_ns;    /* CPU time of the engine's own threads */
	uint64_t threads;      /* that have had a timer */
	uint64_t programs;     /* in which the engine has begun */
	uint64_t not_followed; /* processes in which the engine could not start */

	struct handoff_task tasks[HANDOFF_TASKS];
	struct handoff_place places[HANDOFF_PLACES];
	char paths[HANDOFF_PATHS];
	/* None on two pages: to read the end of one page must not make the next one memory. */
	struct handoff_cell cells[] __attribute__((aligned(16)));
};

/* The cell of PLACE that LOW, the address below its base, is of; TASK is 0 where ticks are not kept
 * apart. */
static inline uint64_t handoff_key(uint32_t place, uint32_t task, uint32_t low)
{
	return (uint64_t)place << 49 | (uint64_t)task << 32 | low;
}

static inline uint32_t handoff_key_place(uint64_t key)
{
	return (uint32_t)(key >> 49);
}

static inline uint32_t handoff_key_task(uint64_t key)
{
	return (uint32_t)(key >> 32) & 0x1ffff;
}

/* The address of KEY, in its place's own addresses. */
static inline uint64_t handoff_address(const struct handoff *handoff, uint64_t key)
{
	return handoff->places[handoff_key_place(key) - 1].base + (uint32_t)key;
}

/* For LIMIT cells: how many there must be, and what that takes, in bytes; with as many contexts as
 * that gives for their limit, what call stacks take behind them (0: nothing). */
uint64_t handoff_room(uint64_t limit);
size_t handoff_size(uint64_t room);
size_t handoff_stacks_size(uint64_t room, uint64_t context_room);

/* What lies behind the cells; all NULL where call stacks are not asked for. */
struct handoff_stacks {
	uint64_t *callers; /* atomic; of each cell, handoff_caller() */
	struct handoff_context *contexts;
	struct handoff_table *tables; /* of each place */
	char *table_bytes;
};

/* For ROOM cells and CONTEXT_ROOM contexts, as profil or the first look at HANDOFF knows them. */
struct handoff_stacks handoff_stacks(struct handoff *handoff, uint64_t room, uint64_t context_room);

/* Add TICKS to the cell KEY; where all are taken, to the overflow of its place.  The ticks have
 * been counted as fired.  *RET_CELL is the cell's index, where there is one.  Returns whether there
 * is. Signal-safe: yes.  Thread-safe: yes. */
bool handoff_add(struct handoff *handoff, uint64_t key, uint64_t ticks, uint64_t *ret_cell);

/* The same of the cell KEY that CALLER (not 0) has called; CALLERS: those of all cells. */
bool handoff_add_called(struct handoff *handoff, uint64_t *callers, uint64_t key, uint64_t caller,
			uint64_t ticks, uint64_t *ret_cell);

/* The number of the context KEY called by CALLER, with HANDOFF_CALLED; 0: there are too many, or it
 * is new and *LEFT, of which each new one takes 1, is 0.  Signal-safe: yes.  Thread-safe: yes. */
uint32_t handoff_context(struct handoff *handoff, struct handoff_context *contexts, uint64_t key,
			 uint64_t caller, uint32_t *left);

/* Count ticks as fired, or as such that found the places full.  Signal-safe: yes.  Thread-safe:
 * yes. */
void handoff_fire(struct handoff *handoff, uint64_t ticks);
void handoff_no_place(struct handoff *handoff, uint64_t ticks);

/* The number of the task ID, called NAME (16 bytes) from now on; 0: there are too many.
 * Signal-safe: yes.  Thread-safe: yes. */
uint32_t handoff_task(struct handoff *handoff, uint64_t id, const char *name);

/* The number of TASK without its program.  The same. */
uint32_t handoff_task_of_files(struct handoff *handoff, uint32_t task);

/* The number of a place like LIKE, of the file PATH (NULL: none); 0: there are too many.
 * Signal-safe: yes.  Thread-safe: yes. */
uint32_t handoff_place(struct handoff *handoff, const struct handoff_place *like, const char *path);
