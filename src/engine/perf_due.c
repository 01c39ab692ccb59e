// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf_due.h"

#include <stdlib.h>

/* The clocks that fire and that count are two: this part of a period may be between them. */
#define PLAY 8

#define ROOM_FIRST 64

static size_t home(const struct perf_due *due, uint64_t event)
{
	return (size_t)(event * 0x9e3779b97f4a7c15 >> 32) & (due->room - 1);
}

/* Where EVENT is, or the free entry where it would be.  There is room. */
static struct perf_due_entry *find(const struct perf_due *due, uint64_t event)
{
	size_t at = home(due, event);

	while (due->entries[at].event && due->entries[at].event != event)
		at = (at + 1) & (due->room - 1);
	return &due->entries[at];
}

/* Half of the room stays free.  False: there is no memory. */
static int grow(struct perf_due *due)
{
	struct perf_due bigger = {.room = due->room ? 2 * due->room : ROOM_FIRST};

	if (2 * (due->count + 1) <= due->room)
		return 1;
	bigger.entries = calloc(bigger.room, sizeof(*bigger.entries));
	if (!bigger.entries)
		return 0;
	for (size_t i = 0; i < due->room; i++)
		if (due->entries[i].event)
			*find(&bigger, due->entries[i].event) = due->entries[i];
	free(due->entries);
	due->entries = bigger.entries;
	due->room = bigger.room;
	return 1;
}

/* Entries behind the one that goes may only be found through it: they move up. */
static void take_out(struct perf_due *due, struct perf_due_entry *entry)
{
	size_t mask = due->room - 1, hole = (size_t)(entry - due->entries);

	for (size_t at = (hole + 1) & mask; due->entries[at].event; at = (at + 1) & mask) {
		size_t from_home = (at - home(due, due->entries[at].event)) & mask;

		if (from_home >= ((at - hole) & mask)) {
			due->entries[hole] = due->entries[at];
			hole = at;
		}
	}
	due->entries[hole] = (struct perf_due_entry){0};
	due->count--;
}

uint64_t perf_due_take(struct perf_due *due, uint64_t event, uint64_t counted_ns)
{
	uint64_t ticks = (counted_ns + due->period_ns / PLAY) / due->period_ns, before;
	struct perf_due_entry *entry;

	if (!grow(due))
		return 1; /* as one sample says by itself */
	entry = find(due, event);
	due->count += !entry->event;
	before = entry->ticks;
	entry->event = event;
	entry->ticks = ticks > before ? ticks : before;
	return entry->ticks - before;
}

uint64_t perf_due_end(struct perf_due *due, uint64_t event, uint64_t counted_ns)
{
	uint64_t ticks = counted_ns / due->period_ns, before = 0;

	if (due->room) {
		struct perf_due_entry *entry = find(due, event);

		before = entry->ticks;
		if (entry->event)
			take_out(due, entry);
	}
	return ticks > before ? ticks - before : 0;
}

void perf_due_done(struct perf_due *due)
{
	free(due->entries);
	*due = (struct perf_due){0};
}
