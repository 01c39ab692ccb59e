/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "engine/inside/inside.h"

/* Where a tick goes, and how many have gone where: what every engine keeps that counts here and not
 * in the kernel.  Each tick is in exactly one of the counters, and their sum is the ticks, so that
 * whoever reads them meanwhile sees an account that adds up. */
struct tally {
	const struct region_table *table;
	struct pc_list *list;			/* not NULL: in place of the table */
	const struct inside_receiver *receiver; /* the same */
	/* Atomic; i386 would align them to 4, across two of the processor's lines. */
	uint64_t counted __attribute__((aligned(8)));
	uint64_t outside, saturated, lost;
	bool ended; /* atomic; never goes back */
};

/* Count TICKS at PC, where CONTEXT (a signal's ucontext_t, NULL: not known) was interrupted.  A
 * cell that is not there any more, or full and to end all, ends the tally without a word; then
 * nothing is counted.  So does a list that is not there or full.  The cell is asked for by a system
 * call (there.h), for the program must live.  Only a buffer that another thread unmaps between this
 * and the next instructions is out of reach. Signal-safe: yes. Thread-safe: yes. */
void tally_tick(struct tally *tally, uintptr_t pc, const void *context, uint32_t ticks);

/* Signal-safe: yes.  Thread-safe: yes. */
void tally_lose(struct tally *tally, uint64_t ticks);
bool tally_has_ended(const struct tally *tally);

/* All but cpu_ns and threads, which are 0.  Thread-safe: yes. */
void tally_read(const struct tally *tally, struct inside_account *ret_account);
