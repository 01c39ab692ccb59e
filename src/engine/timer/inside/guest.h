/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/timer/inside/handoff.h"
#include "engine/inside/space.h"

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

struct guest {
	struct handoff *handoff;
	pid_t pid;
	char name[16]; /* what the kernel called it when it began */
	uint32_t task; /* atomic; of the process; 0: it has none yet */

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

/* Count TICKS at PC.  Signal-safe: yes.  Thread-safe: yes. */
void guest_tick(struct guest *guest, uintptr_t pc, uint64_t ticks);

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
