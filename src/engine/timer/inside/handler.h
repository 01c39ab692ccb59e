/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/timer/inside/ledger.h"
#include "engine/inside/tally.h"

#include <signal.h>

/* What a timer's signal runs.  It must be right at any instruction of the program, and for ever: a
 * signal may have left the queue and not yet be here when its timer is deleted, its measurement
 * freed and the handler taken off. */

/* One running measurement.  Slots are never freed, so that a late signal finds one: its cookie
 * names the slot, how often it has been used, and the line of its thread in LEDGER.  Only the
 * slot's own cookie counts, and whoever takes it away waits until BUSY is 0. */
struct handler_slot {
	uint64_t cookie; /* atomic; without a line; 0: nobody's */
	unsigned busy;	 /* atomic; handlers that may be looking at what follows */
	bool held;	 /* atomic; a fork is under way: no cell is written */
	struct tally *tally;
	const struct ledger *ledger;
	unsigned uses;
	bool taken;
} __attribute__((aligned(64)));

#define HANDLER_SLOTS 64

/* A cookie from the top: a number that neither a pointer nor an int has there (24 bits), the line
 * (24), how often the slot was used (10), the slot (6).  A signal's value is as wide as a pointer:
 * where that has 32 bits, they are 4, which a pointer may have, 15, 7 and 6. */
#if UINTPTR_MAX > UINT32_MAX
#define HANDLER_USES 1024 /* of a slot that are told apart */
#define HANDLER_MARK (0xf0711eULL << 40)
#define HANDLER_MARK_MASK (~0ULL << 40)
#define HANDLER_LINE_SHIFT 16
#define HANDLER_LINE_MASK (0xffffffULL << HANDLER_LINE_SHIFT)
#else
#define HANDLER_USES 128
#define HANDLER_MARK (0xaULL << 28)
#define HANDLER_MARK_MASK (0xfULL << 28)
#define HANDLER_LINE_SHIFT 13
#define HANDLER_LINE_MASK (0x7fffULL << HANDLER_LINE_SHIFT)
#endif

extern struct handler_slot handler_slots[HANDLER_SLOTS];

/* What a signal that is not from our timers finds, set before the handler is on: the program's own
 * action, where it is kept for it.  NULL: the default action.  It is called in the handler. */
typedef void handler_other_action(int number, siginfo_t *info, void *context);
extern handler_other_action *handler_other;

/* The default action, when the handler returns. */
void handler_default(int number);

/* For SA_SIGINFO, with all signals blocked: what interrupts it on its own thread might wait for it.
 * It counts the ticks that the thread is due by its CPU clock and has not had.  A signal that is
 * not from our timers finds what it would have found without us. */
void handler_run(int number, siginfo_t *info, void *context);
