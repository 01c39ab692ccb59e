/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_ENGINE_INSIDE_HANDLER_H
#define PROFIL_ENGINE_INSIDE_HANDLER_H

#include "engine/inside/tally.h"

#include <signal.h>

/* What a timer's signal runs.  It must be right at any instruction of the program, and for ever: a
 * signal may have left the queue and not yet be here when its timer is deleted, its measurement
 * freed and the handler taken off. */

/* One running measurement.  Slots are never freed, so that a late signal finds one: its cookie is
 * the slot's address and, in the low bits, how often it has been used.  Only the slot's own cookie
 * counts, and whoever takes it away waits until BUSY is 0. */
struct handler_slot {
	uintptr_t cookie; /* atomic; 0: nobody's */
	unsigned busy;	  /* atomic; handlers that may be looking at what follows */
	bool held;	  /* atomic; a fork is under way: no cell is written */
	uint32_t owed;	  /* atomic; ticks that came meanwhile: the next one has their weight */
	struct tally *tally;
	unsigned uses;
	bool taken;
} __attribute__((aligned(64)));

#define HANDLER_SLOTS 64
#define HANDLER_USES 64 /* of a slot that are told apart */

extern struct handler_slot handler_slots[HANDLER_SLOTS];

/* For SA_SIGINFO, with all signals blocked: what interrupts it on its own thread might wait for it.
 * A tick is weighted by the expirations that the timer could not queue.  A signal that is not from
 * our timers finds what it would have found without us: the default action. */
void handler_run(int number, siginfo_t *info, void *context);

#endif
