/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdint.h>

/* How many ticks a sample of a clock event stands for.  The kernel gives one when its interrupt
 * comes, and none for the periods that passed while it was late; but the sample says how long the
 * event has counted, and the difference to the one before says how many are due.
 *
 * So many events are remembered; one of many more, which was forgotten, begins anew with a sample
 * that stands for one tick. */

#define EVENT_TICKS_KNOWN 4096

struct event_ticks {
	uint64_t period_ns;
	struct {
		uint64_t event; /* the kernel's number of it, never used twice; 0: none */
		uint64_t ticks; /* that were due at its last sample */
	} known[EVENT_TICKS_KNOWN];
};

/* EVENT has counted COUNTED_NS at this sample.  Returns the ticks it stands for, 0 too: a tick that
 * comes on time after one that came late may have been counted with that one. */
uint32_t event_ticks_take(struct event_ticks *ticks, uint64_t event, uint64_t counted_ns);

/* Samples are lost: they must not come again as ticks of the next one. */
void event_ticks_forget(struct event_ticks *ticks);
