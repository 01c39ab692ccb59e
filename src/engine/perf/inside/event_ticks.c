// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/inside/event_ticks.h"

#include <string.h>

/* The clocks that fire and that count are two: this part of a period may be between them. */
#define PLAY 8

/* Events of one CPU have numbers at even distances; times the golden ratio they spread. */
static uint64_t place(uint64_t event)
{
	return (event * 0x9e3779b97f4a7c15) >> 32 & (EVENT_TICKS_KNOWN - 1);
}

uint32_t event_ticks_take(struct event_ticks *ticks, uint64_t event, uint64_t counted_ns)
{
	uint64_t due = (counted_ns + ticks->period_ns / PLAY) / ticks->period_ns;
	uint64_t at = place(event), before = ticks->known[at].ticks;

	if (ticks->known[at].event != event)
		before = due ? due - 1 : 0;
	ticks->known[at].event = event;
	ticks->known[at].ticks = due > before ? due : before;
	return due > before ? (uint32_t)(due - before) : 0;
}

void event_ticks_forget(struct event_ticks *ticks)
{
	memset(ticks->known, 0, sizeof(ticks->known));
}
