/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Who called whom, how often: counted by mcount at the entry of each function that was compiled
 * with -pg.
 *
 * Each thread counts in a table of its own, so that no two ever add to one counter, and mcount
 * takes no lock.  Counters never move: a table that is full is left as it is, and the thread
 * goes on in a larger one; an arc may stand in several tables, even twice in one, and its count is
 * the sum.  So neither a signal handler nor a longjmp in the middle of anything loses a call.  The
 * table of a thread that has ended is handed, with its counts, to the next one that needs a
 * table: there are as many as there were threads at once.
 *
 * All of it calls nothing but the kernel, for it runs at any instruction of the program and with
 * its arguments still in registers. */

struct arcs_arc {
	uintptr_t from; /* the return address in the caller, not 0 */
	uintptr_t self; /* an address in the function called */
	uint64_t count; /* 0: it may not be filled yet */
};

/* Arcs stand in the order in which they were first called, so that those that follow one another
 * do so in the cache.  Where one stands is in SLOTS, by its addresses: as the number of 8 bytes
 * from the table's start on; 0 is a free slot, and leads to NOBODY, which is no arc's FROM.
 * mcount-x86_64.S knows where NOBODY, MASK and SLOTS are. */
struct arcs_table {
	uintptr_t nobody; /* all bits set */
	uint64_t mask;	  /* of an address or a hash: bytes from SLOTS on */
	struct arcs_table *next;
	struct arcs_arc *arcs;
	size_t bytes;
	uint32_t used, capacity; /* of arcs; USED is atomic */
	uint32_t slot_count;	 /* of both parts; the last one is always free */
	pid_t owner;		 /* atomic; 0: nobody's */
	bool is_full;		 /* atomic; only read any more */
	uint32_t slots[] __attribute__((aligned(64)));
};

/* Nothing is counted while it is false. */
extern bool arcs_on __attribute__((visibility("hidden")));

/* The calling thread's; NULL: it has none yet. */
extern __thread struct arcs_table *arcs_mine
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Where an arc's slot is looked for.  Each four bytes of text have a slot, so that of calls one
 * after the other (five bytes) each has its own at once, in the near part, which those of other
 * text with the same low bits share: up to ARCS_NEAR slots on.
 *
 * What has found no place there (a pointer that calls several functions has its first one there)
 * is in the far part, which is as large, and there anywhere.  A table has four slots in each part
 * for an arc, so that both are sparse. */
#define ARCS_HASH 0x61c88647
#define ARCS_NEAR 8
#define ARCS_FAR_SHIFT 20
static inline uint32_t *arcs_near(struct arcs_table *table, uintptr_t from)
{
	return (void *)((char *)table->slots + (from & table->mask));
}
static inline uint32_t *arcs_far(struct arcs_table *table, uintptr_t from, uintptr_t self)
{
	uint64_t hash = ((uint64_t)self * ARCS_HASH + from) * ARCS_HASH >> ARCS_FAR_SHIFT;
	uint64_t near = table->mask + (1 + ARCS_NEAR) * sizeof(uint32_t);

	return (void *)((char *)table->slots + near + (hash & table->mask));
}
static inline struct arcs_arc *arcs_at(struct arcs_table *table, uint32_t slot)
{
	return (void *)((char *)table + (uint64_t)slot * 8);
}

/* How many of TABLE's arcs there are, of which the last may be without a count yet. */
static inline uint32_t arcs_used(const struct arcs_table *table)
{
	return __atomic_load_n(&table->used, __ATOMIC_ACQUIRE);
}

/* Count a call that is not in the thread's table yet, or in none where mcount looked.
 * Signal-safe: yes.  Thread-safe: yes. */
void arcs_count(uintptr_t from, uintptr_t self) __attribute__((visibility("hidden")));

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
