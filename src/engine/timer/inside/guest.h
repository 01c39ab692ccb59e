/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/timer/inside/handoff.h"
#include "engine/inside/space.h"
#include "unwind/table.h"

#include <stdbool.h>
#include <sys/types.h>

/* A process that profil measures with timers, as the engine in it sees it: what is mapped where, as
 * far as it has looked, and the memory that its ticks go to. */

/* Executable memory, all of one place. */
struct guest_range {
	uintptr_t start, end;
	uint32_t place;
	uint32_t low; /* START's own part of the address in the place */
};

/* In rising order. */
struct guest_map {
	struct space space; /* of struct guest_range */
	size_t count;
};

/* Cells of addresses that nobody knew at the tick; more than these keep theirs. */
#define GUEST_UNKNOWN 256

/* What call stacks need. */
struct guest_stacks {
	struct handoff_stacks shared; /* all NULL: they are not asked for */
	uint32_t most;		      /* calls */
	bool no_fold;
	uint64_t taken;		     /* atomic; a bit for each bench that a tick works at */
	char *benches;		     /* GUEST_BENCHES of BENCH_SIZE bytes */
	size_t bench_size;	     /* bytes */
	struct unwind_table *tables; /* by place; in the shared memory; no rules: not there */
	struct guest_wish {	     /* the same */
		uint8_t is_mapped;   /* in this process */
		uint8_t tried;	     /* to be compiled here */
	} * wishes;
};

/* Ticks that walk up their stacks at once. */
#define GUEST_BENCHES 64

struct guest {
	struct handoff *handoff;
	struct guest_stacks stacks;
	pid_t pid;
	char name[16];	   /* what the kernel called it when it began */
	uint32_t program;  /* of all that were executed: which it is */
	uint32_t tasks[2]; /* atomic; of the process and of its code of no file; 0: none yet */

	struct guest_map maps[2];
	struct guest_map *map; /* atomic; one of the two; NULL: nothing is known any more */
	uint32_t readers;      /* atomic; ticks that are looking at a map */
	bool is_stale;	       /* atomic; ticks wait for a look to tell where they were */

	uint64_t unknown[GUEST_UNKNOWN]; /* atomic; a cell's index + 1 */
	struct space text;		 /* what the last look has read; for the next */
};

/* This process, measured into HANDOFF; GUEST is all 0 before.  Nothing is known of what is mapped
 * until the first look. */
void guest_init(struct guest *guest, struct handoff *handoff);

/* Whether a look would tell something new.  Thread-safe: yes. */
static inline bool guest_is_stale(const struct guest *guest)
{
	return __atomic_load_n(&guest->is_stale, __ATOMIC_RELAXED);
}

/* Count TICKS at PC, where CONTEXT (a signal's ucontext_t) was interrupted; NULL: not known. False:
 * profil has ended, and they are lost.  Signal-safe: yes.  Thread-safe: yes. */
bool guest_tick(struct guest *guest, uintptr_t pc, const void *context, uint64_t ticks);

/* What is mapped at an address from START up to END.  The same. */
bool guest_find(struct guest *guest, uintptr_t start, uintptr_t end, struct guest_range *ret_range);

/* The number of this process as a task, IS_CODE of no file or other.  The same. */
uint32_t guest_task(struct guest *guest, bool is_code);

/* Who called what CONTEXT interrupted: handoff_caller() of a cell.  The same. */
uint64_t guest_caller(struct guest *guest, const void *context);

/* No tick works at a bench; where they are not all there, none ever will. */
static inline void guest_free_benches(struct guest *guest)
{
	guest->stacks.taken = guest->stacks.wishes ? 0 : ~(uint64_t)0;
}

/* Make ready for call stacks, where they are asked for; without memory there are none.  Then, and
 * after each look: find or compile the unwind tables of what is mapped.  Signal-safe: no.
 * Thread-safe: one at a time, ticks and looks meanwhile. */
void guest_stacks_init(struct guest *guest);
void guest_load_tables(struct guest *guest);

/* Look at what is mapped now; ticks at addresses that were unknown until now go where they belong.
 * Returns 0 or -errno: nothing has changed.  Signal-safe: no.  Thread-safe: one at a time, ticks
 * meanwhile. */
int guest_look(struct guest *guest);

/* What is mapped has changed, and may be anything until the next look, which the next tick wants.
 * Thread-safe: like it. */
void guest_forget_map(struct guest *guest);

/* Of the addresses from START up to END: whether there are ticks that wait for a look, and whether
 * there is anything executable by the last one.  Signal-safe: yes.  Thread-safe: yes. */
bool guest_owes(const struct guest *guest, uintptr_t start, uintptr_t end);
bool guest_knows(struct guest *guest, uintptr_t start, uintptr_t end);

/* In the child of a fork: it has the parent's map, and not its other threads and unknown cells. */
void guest_forked(struct guest *guest);
