// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/due.h"

#include <stdlib.h>

/* The clocks that fire and that count are two: this part of a period may be between them. */
#define PLAY 8

#define ROOM_FIRST 64

static size_t home(const struct perf_due *due, uint32_t tid, uint32_t cpu)
{
	uint64_t both = (uint64_t)cpu << 32 | tid;

	return (size_t)(both * 0x9e3779b97f4a7c15 >> 32) & (due->room - 1);
}

/* Where TID's on CPU is, or the free entry where it would be.  There is room. */
static struct perf_due_entry *find(const struct perf_due *due, uint32_t tid, uint32_t cpu)
{
	size_t at = home(due, tid, cpu);

	while (due->entries[at].tid && (due->entries[at].tid != tid || due->entries[at].cpu != cpu))
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
	for (size_t i = 0; i < due->room; i++) {
		const struct perf_due_entry *entry = &due->entries[i];

		if (entry->tid)
			*find(&bigger, entry->tid, entry->cpu) = *entry;
	}
	free(due->entries);
	due->entries = bigger.entries;
	due->room = bigger.room;
	return 1;
}

/* Entries behind the one that goes may only be found through it: they move up. */
static void take_out(struct perf_due *due, struct perf_due_entry *entry)
{
	size_t mask = due->room - 1, hole = (size_t)(entry - due->entries);

	for (size_t at = (hole + 1) & mask; due->entries[at].tid; at = (at + 1) & mask) {
		const struct perf_due_entry *next = &due->entries[at];
		size_t from_home = (at - home(due, next->tid, next->cpu)) & mask;

		if (from_home >= ((at - hole) & mask)) {
			due->entries[hole] = due->entries[at];
			hole = at;
		}
	}
	due->entries[hole] = (struct perf_due_entry){0};
	due->count--;
}

uint64_t perf_due_take(struct perf_due *due, struct perf_due_key key, uint64_t counted)
{
	uint64_t ticks = (counted + due->period / PLAY) / due->period, before;
	struct perf_due_entry *entry;

	if (!grow(due))
		return 1; /* as one sample says by itself */
	entry = find(due, key.tid, key.cpu);
	due->count += !entry->tid;
	before = entry->ticks;
	*entry =
		(struct perf_due_entry){key.tid, key.cpu, key.pid, ticks > before ? ticks : before};
	return entry->ticks - before;
}

void perf_due_forget(struct perf_due *due, struct perf_due_key key)
{
	struct perf_due_entry *entry;

	if (!due->room)
		return;
	entry = find(due, key.tid, key.cpu);
	if (entry->tid)
		take_out(due, entry);
}

void perf_due_execute(struct perf_due *due, uint32_t pid)
{
	for (size_t i = 0; i < due->room; i++) {
		struct perf_due_entry entry = due->entries[i];

		if (entry.pid != pid || entry.tid == pid)
			continue;
		take_out(due, &due->entries[i]);
		perf_due_forget(due, (struct perf_due_key){pid, pid, entry.cpu});
		entry.tid = pid;
		*find(due, entry.tid, entry.cpu) = entry;
		due->count++;
		i--; /* another may have moved up */
	}
}

void perf_due_done(struct perf_due *due)
{
	free(due->entries);
	*due = (struct perf_due){0};
}
