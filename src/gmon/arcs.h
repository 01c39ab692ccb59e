/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_GMON_ARCS_H
#define PROFIL_GMON_ARCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Who called whom, how often: counted by mcount at the entry of each function that was compiled
 * with -pg.
 *
 * Each thread counts in a table of its own, so that no two ever add to one counter, and mcount
 * takes no lock.  Counters never move: a table that is half full is left as it is, and the thread
 * goes on in a larger one; an arc may stand in several tables, even twice in one, and its count is
 * the sum.  So neither a signal handler nor a longjmp in the middle of anything loses a call.  The
 * table of a thread that has ended is handed, with its counts, to the next one that needs a
 * table: there are as many as there were threads at once.
 *
 * All of it calls nothing but the kernel, for it runs at any instruction of the program and with
 * its arguments still in registers. */

struct arcs_slot {
	uintptr_t from; /* the return address in the caller; 0: the slot is free */
	uintptr_t self; /* an address in the function called; 0: being filled */
	uint64_t count;
	uint64_t spare;
};

/* mcount-x86_64.S knows where MASK and SLOTS are. */
struct arcs_table {
	uint64_t mask; /* of a hash: bytes from SLOTS on */
	struct arcs_table *next;
	size_t bytes;
	uint32_t used, limit; /* of slots; USED is atomic */
	uint32_t slot_count;  /* of both parts; the last one is always free */
	pid_t owner;	      /* atomic; 0: nobody's */
	bool is_full;	      /* only read any more */
	struct arcs_slot slots[] __attribute__((aligned(64)));
};

/* Nothing is counted while it is false. */
extern bool arcs_on __attribute__((visibility("hidden")));

/* The calling thread's; NULL: it has none yet. */
extern __thread struct arcs_table *arcs_mine
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Where an arc is looked for first: bytes from SLOTS on, which the table's mask rounds to slots. As
 * mcount-x86_64.S has it.  Calls that follow one another in the text do so in the table, for the
 * cache's sake; those by one pointer are spread over the next 16 slots.
 *
 * Where text has more calls than there are slots for it (one call after the other without an
 * argument, a pointer that calls everything), they would push each other on for ever: what has
 * found no place in ARCS_NEAR slots is in the far part of the table, which is as large, and there
 * anywhere: of two as large parts that are half full together, less than half of it is. */
#define ARCS_HASH 0x61c88647
#define ARCS_SPREAD 16
#define ARCS_DENSITY 4 /* slots are 32 bytes: one for 8 bytes of text */
static inline uint64_t arcs_hash(uintptr_t from, uintptr_t self)
{
	return ((uint64_t)self * ARCS_HASH >> 27 & (ARCS_SPREAD - 1) * 32) +
	       (uint64_t)from * ARCS_DENSITY;
}

#define ARCS_NEAR 8
#define ARCS_FAR_SHIFT 20
static inline struct arcs_slot *arcs_near(struct arcs_table *table, uintptr_t from, uintptr_t self)
{
	return (void *)((char *)table->slots + (arcs_hash(from, self) & table->mask));
}
static inline struct arcs_slot *arcs_far(struct arcs_table *table, uintptr_t from, uintptr_t self)
{
	uint64_t hash = ((uint64_t)self * ARCS_HASH + from) * ARCS_HASH >> ARCS_FAR_SHIFT;
	uint64_t near = table->mask + (1 + ARCS_NEAR) * sizeof(struct arcs_slot);

	return (void *)((char *)table->slots + near + (hash & table->mask));
}

/* Count a call that is not in the thread's table yet, or in none where mcount looked.
 * Signal-safe: yes.  Thread-safe: yes. */
void arcs_count(uintptr_t from, uintptr_t self) __attribute__((visibility("hidden")));

/* Calls that there was no memory to count. */
uint64_t arcs_lost(void);

/* All to 0. */
void arcs_clear(void);

/* The same in the child of a fork, where other threads than this one are no more. */
void arcs_forget(void);

/* All that was counted so far, each arc once, in a table of its own; its caller is what CALLER
 * makes of FROM, not 0.  NULL: there is no memory.  *RET_LOST: calls that did not fit, for
 * threads count on.
 * Signal-safe: yes.  Thread-safe: yes. */
struct arcs_table *arcs_merge(uintptr_t (*caller)(uintptr_t from, uintptr_t self),
			      uint64_t *ret_lost);
void arcs_free(struct arcs_table *merged); /* takes NULL */

#endif
