// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/guest.h"

#include "base/array.h"
#include "engine/inside/raw.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

/* What runs at the tick, or may be asked with any lock held; the looks are in guest_look.c. */

/* The first that is not wholly below ADDRESS. */
static const struct guest_range *range_from(const struct guest_map *map, uintptr_t address)
{
	const struct guest_range *ranges = map->space.start;
	size_t count = map->count, at = ARRAY_FIRST_NOT(i, count, ranges[i].end <= address);

	return at < count ? &ranges[at] : NULL;
}

/* One that has a byte from START up to END.  Either the one who changes the map sees this reader,
 * or the reader sees the new map. */
bool guest_find(struct guest *guest, uintptr_t start, uintptr_t end, struct guest_range *ret_range)
{
	const struct guest_range *range = NULL;
	const struct guest_map *map;

	__atomic_fetch_add(&guest->readers, 1, __ATOMIC_SEQ_CST);
	map = __atomic_load_n(&guest->map, __ATOMIC_SEQ_CST);
	if (map)
		range = range_from(map, start);
	if (range && range->start >= end)
		range = NULL;
	if (range) {
		/* Field by field, for some compilers copy the whole by a call. */
		ret_range->start = range->start;
		ret_range->end = range->end;
		ret_range->place = range->place;
		ret_range->low = range->low;
	}
	__atomic_fetch_sub(&guest->readers, 1, __ATOMIC_RELEASE);
	return range;
}

bool guest_knows(struct guest *guest, uintptr_t start, uintptr_t end)
{
	struct guest_range range;

	return guest_find(guest, start, end, &range);
}

bool guest_owes(const struct guest *guest, uintptr_t start, uintptr_t end)
{
	const struct handoff *handoff = guest->handoff;

	if (!guest_is_stale(guest))
		return false;
	for (size_t i = 0; i < GUEST_UNKNOWN; i++) {
		uint64_t cell = __atomic_load_n(&guest->unknown[i], __ATOMIC_ACQUIRE), address;

		if (!cell)
			continue;
		address = handoff_address(
			handoff, __atomic_load_n(&handoff->cells[cell - 1].key, __ATOMIC_RELAXED));
		if (address >= start && address < end)
			return true;
	}
	return false;
}

/* Field by field, for some compilers have all others set to 0 by a call. */
static uint32_t find_unknown(struct guest *guest, uintptr_t pc)
{
	struct handoff_place like;

	like.kind = HANDOFF_UNKNOWN;
	like.base = pc & ~(uint64_t)UINT32_MAX;
	like.is_program = 0;
	like.device = 0;
	like.inode = 0;
	like.mtime_ns = 0;
	return handoff_place(guest->handoff, &like, /* path= */ NULL);
}

uint32_t guest_task(struct guest *guest, bool is_code)
{
	uint32_t *known = &guest->tasks[is_code], task = __atomic_load_n(known, __ATOMIC_RELAXED);

	if (task)
		return task;
	task = handoff_task(
		guest->handoff,
		handoff_task_id((uint32_t)guest->pid, /* tid= */ 0, is_code ? guest->program : 0),
		guest->name);
	__atomic_store_n(known, task, __ATOMIC_RELAXED);
	return task;
}

static uint32_t thread_task(const struct guest *guest, bool is_code)
{
	uint32_t tid = (uint32_t)raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	char name[16];

	raw_syscall(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0);
	return handoff_task(
		guest->handoff,
		handoff_task_id((uint32_t)guest->pid, tid, is_code ? guest->program : 0), name);
}

/* Memory of no file is a program's own. */
static uint32_t task_of(struct guest *guest, uint32_t place)
{
	const struct handoff *handoff = guest->handoff;
	bool is_code = handoff->places[place - 1].kind >= HANDOFF_ANONYMOUS;

	if (handoff->by_thread)
		return thread_task(guest, is_code);
	return handoff->by_process || is_code ? guest_task(guest, is_code) : 0;
}

/* So that the next look finds it. */
static void remember(struct guest *guest, uint64_t cell)
{
	for (size_t i = 0; i < GUEST_UNKNOWN; i++) {
		uint64_t found = __atomic_load_n(&guest->unknown[i], __ATOMIC_RELAXED);

		if (!found && __atomic_compare_exchange_n(&guest->unknown[i], &found, cell + 1,
							  /* weak= */ false, __ATOMIC_RELEASE,
							  __ATOMIC_RELAXED))
			return;
		if (found == cell + 1)
			return;
	}
}

bool guest_tick(struct guest *guest, uintptr_t pc, const void *context, uint64_t ticks)
{
	struct handoff *handoff = guest->handoff;
	uint64_t cell, caller = 0;
	struct guest_range range;
	uint32_t task;
	bool has_cell;

	if (__atomic_load_n(&handoff->ended, __ATOMIC_RELAXED))
		return false;
	handoff_fire(handoff, ticks);
	if (!guest_find(guest, pc, pc + 1, &range))
		range = (struct guest_range){
			.start = pc,
			.place = find_unknown(guest, pc),
			.low = (uint32_t)pc,
		};
	if (!range.place) {
		handoff_no_place(handoff, ticks);
		return true;
	}
	task = task_of(guest, range.place);
	if (guest->stacks.shared.callers)
		caller = guest_caller(guest, context);
	has_cell = handoff_add_called(
		handoff, guest->stacks.shared.callers,
		handoff_key(range.place, task, range.low + (uint32_t)(pc - range.start)), caller,
		ticks, &cell);
	if (handoff->places[range.place - 1].kind != HANDOFF_UNKNOWN)
		return true;
	if (has_cell && task)
		remember(guest, cell);
	/* Last, for a look that is under way may have passed it by. */
	__atomic_store_n(&guest->is_stale, true, __ATOMIC_RELEASE);
	return true;
}
