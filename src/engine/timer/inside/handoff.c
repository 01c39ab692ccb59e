// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/handoff.h"

/* All of this runs at a tick too, so nothing is called that is not here: no strlen, no memcpy. */

uint64_t handoff_room(uint64_t limit)
{
	uint64_t room = 64;

	while (room < 2 * limit)
		room *= 2;
	return room;
}

size_t handoff_size(uint64_t room)
{
	return sizeof(struct handoff) + room * sizeof(struct handoff_cell);
}

/* Nothing but words, so that all is aligned behind what is. */
size_t handoff_stacks_size(uint64_t room, uint64_t context_room)
{
	if (!context_room)
		return 0;
	return room * sizeof(uint64_t) + context_room * sizeof(struct handoff_context) +
	       HANDOFF_PLACES * sizeof(struct handoff_table) + HANDOFF_TABLES;
}

struct handoff_stacks handoff_stacks(struct handoff *handoff, uint64_t room, uint64_t context_room)
{
	struct handoff_stacks stacks;

	stacks.callers = NULL;
	stacks.contexts = NULL;
	stacks.tables = NULL;
	stacks.table_bytes = NULL;
	if (!context_room)
		return stacks;
	stacks.callers = (uint64_t *)&handoff->cells[room];
	stacks.contexts = (struct handoff_context *)&stacks.callers[room];
	stacks.tables = (struct handoff_table *)&stacks.contexts[context_room];
	stacks.table_bytes = (char *)&stacks.tables[HANDOFF_PLACES];
	return stacks;
}

static void add(uint64_t *counter, uint64_t ticks)
{
	__atomic_fetch_add(counter, ticks, __ATOMIC_RELAXED);
}

void handoff_fire(struct handoff *handoff, uint64_t ticks)
{
	add(&handoff->fired, ticks);
}

void handoff_no_place(struct handoff *handoff, uint64_t ticks)
{
	add(&handoff->places_full, ticks);
}

static uint64_t mixed(uint64_t key)
{
	return key * 0x9e3779b97f4a7c15 >> 20;
}

/* ------------------------------------------------------------------ cells */

/* A table of two words a slot, each found by the first and, where there are such, by its caller. */
struct slots {
	uint64_t *keys; /* every second word */
	uint64_t *callers;
	size_t step; /* from one caller to the next, in words */
	uint64_t room, limit;
	uint64_t *count;
	uint32_t *left; /* that may still be taken by this one; NULL: any number */
};

static bool may_take(const struct slots *slots)
{
	if (slots->left && !*slots->left)
		return false;
	if (__atomic_fetch_add(slots->count, 1, __ATOMIC_RELAXED) < slots->limit)
		return true;
	__atomic_fetch_sub(slots->count, 1, __ATOMIC_RELAXED);
	return false;
}

/* Take slot AT for KEY.  Returns whether it is KEY's now, whoever took it. */
static bool take(const struct slots *slots, uint64_t at, uint64_t key)
{
	uint64_t found = 0;

	if (__atomic_compare_exchange_n(&slots->keys[2 * at], &found, key, /* weak= */ false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		if (slots->left)
			--*slots->left;
		return true;
	}
	__atomic_fetch_sub(slots->count, 1, __ATOMIC_RELAXED);
	return found == key;
}

/* Whether slot AT, which is its key's, is CALLER's.  What has no caller yet is of one who has not
 * come so far, or was killed before: whoever comes first has it. */
static bool is_called(const struct slots *slots, uint64_t at, uint64_t caller)
{
	uint64_t *callers = slots->callers, found;

	if (!callers)
		return true;
	found = __atomic_load_n(&callers[at * slots->step], __ATOMIC_RELAXED);
	if (found)
		return found == caller;
	return __atomic_compare_exchange_n(&callers[at * slots->step], &found, caller,
					   /* weak= */ false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
	       found == caller;
}

/* The slot of KEY called by CALLER, or room: there is none.  As many steps as there are slots, for
 * a program may have written over all that are free. */
static uint64_t find(const struct slots *slots, uint64_t key, uint64_t caller)
{
	uint64_t mask = slots->room - 1, at = mixed(key ^ mixed(caller)) & mask;

	for (uint64_t steps = 0; steps <= mask; steps++, at = (at + 1) & mask) {
		uint64_t found = __atomic_load_n(&slots->keys[2 * at], __ATOMIC_RELAXED);

		if (found && found != key)
			continue;
		if (!found && !may_take(slots))
			break;
		if (!found && !take(slots, at, key))
			continue;
		if (is_called(slots, at, caller))
			return at;
	}
	return slots->room;
}

static void overflow(struct handoff *handoff, uint64_t key, uint64_t ticks)
{
	struct handoff_place *place = &handoff->places[handoff_key_place(key) - 1];

	if (place->kind == HANDOFF_FILE)
		add(&place->overflow, ticks);
	else
		add(&handoff->cells_full, ticks);
}

bool handoff_add_called(struct handoff *handoff, uint64_t *callers, uint64_t key, uint64_t caller,
			uint64_t ticks, uint64_t *ret_cell)
{
	struct slots slots;
	uint64_t at;

	slots.keys = &handoff->cells->key;
	slots.callers = callers;
	slots.step = 1;
	slots.room = handoff->cell_room;
	slots.limit = handoff->cell_limit;
	slots.count = &handoff->cell_count;
	slots.left = NULL;
	at = find(&slots, key, caller);
	if (at == slots.room) {
		overflow(handoff, key, ticks);
		return false;
	}
	add(&handoff->cells[at].ticks, ticks);
	*ret_cell = at;
	return true;
}

bool handoff_add(struct handoff *handoff, uint64_t key, uint64_t ticks, uint64_t *ret_cell)
{
	return handoff_add_called(handoff, /* callers= */ NULL, key, /* caller= */ 0, ticks,
				  ret_cell);
}

uint32_t handoff_context(struct handoff *handoff, struct handoff_context *contexts, uint64_t key,
			 uint64_t caller, uint32_t *left)
{
	struct slots slots;
	uint64_t at;

	slots.keys = &contexts->key;
	slots.callers = &contexts->caller;
	slots.step = 2;
	slots.room = handoff->context_room;
	slots.limit = handoff->context_limit;
	slots.count = &handoff->context_count;
	slots.left = left;
	at = find(&slots, key, caller);
	return at == slots.room ? 0 : (uint32_t)at + 1;
}

/* ------------------------------------------------------------------ tasks */

/* Two of one name at once write the same; a reader may see half of a new one, as of any that
 * changes. */
static void call_task(struct handoff_task *task, const char *name)
{
	for (size_t i = 0; i < sizeof(task->name); i++)
		__atomic_store_n(&task->name[i], name[i], __ATOMIC_RELAXED);
}

uint32_t handoff_task(struct handoff *handoff, uint64_t id, const char *name)
{
	uint64_t at = mixed(id) % HANDOFF_TASKS;

	for (uint32_t steps = 0; steps < HANDOFF_TASKS; steps++, at = (at + 1) % HANDOFF_TASKS) {
		struct handoff_task *task = &handoff->tasks[at];
		uint64_t found = __atomic_load_n(&task->id, __ATOMIC_RELAXED);

		if (!found && __atomic_compare_exchange_n(&task->id, &found, id, /* weak= */ false,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			found = id;
		if (found != id)
			continue;
		call_task(task, name);
		return (uint32_t)at + 1;
	}
	return 0;
}

uint32_t handoff_task_of_files(struct handoff *handoff, uint32_t task)
{
	const uint64_t mask = handoff_task_id(HANDOFF_ID_MASK, HANDOFF_ID_MASK, /* program= */ 0);
	const struct handoff_task *known;

	if (!task || task > HANDOFF_TASKS)
		return 0;
	known = &handoff->tasks[task - 1];
	return handoff_task(handoff, __atomic_load_n(&known->id, __ATOMIC_RELAXED) & mask,
			    known->name);
}

/* ------------------------------------------------------------------ places */

/* A modification time that is not known may be any: a file that was seen before it went away is
 * still that. */
static bool is_like(const struct handoff_place *place, const struct handoff_place *like)
{
	if (!__atomic_load_n(&place->is_ready, __ATOMIC_ACQUIRE))
		return false;
	return place->kind == like->kind && place->base == like->base &&
	       place->device == like->device && place->inode == like->inode &&
	       (!like->mtime_ns || place->mtime_ns == like->mtime_ns);
}

/* Where PATH stands from now on; 0: nowhere, for there is no room. */
static uint32_t keep_path(struct handoff *handoff, const char *path)
{
	uint32_t length = 0, start;

	while (path[length])
		length++;
	/* The first byte stays free: it is the path of what has none. */
	start = __atomic_fetch_add(&handoff->path_bytes, length + 1, __ATOMIC_RELAXED) + 1;
	if (start >= HANDOFF_PATHS || length >= HANDOFF_PATHS - start)
		return 0;
	for (uint32_t i = 0; i <= length; i++)
		handoff->paths[start + i] = path[i];
	return start;
}

/* Returns 0: there is none yet. */
static uint32_t find_place(struct handoff *handoff, const struct handoff_place *like)
{
	uint32_t count = __atomic_load_n(&handoff->place_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count && i < HANDOFF_PLACES; i++) {
		struct handoff_place *place = &handoff->places[i];

		if (!is_like(place, like))
			continue;
		if (like->is_program)
			__atomic_store_n(&place->is_program, 1, __ATOMIC_RELAXED);
		return i + 1;
	}
	return 0;
}

/* Two at once may each take one for the same: the reader adds them up. */
uint32_t handoff_place(struct handoff *handoff, const struct handoff_place *like, const char *path)
{
	uint32_t found = find_place(handoff, like), at;
	struct handoff_place *place;

	if (found || __atomic_load_n(&handoff->place_count, __ATOMIC_RELAXED) >= HANDOFF_PLACES)
		return found;
	at = __atomic_fetch_add(&handoff->place_count, 1, __ATOMIC_RELAXED);
	if (at >= HANDOFF_PLACES)
		return 0;
	place = &handoff->places[at];
	place->kind = like->kind;
	place->is_program = like->is_program;
	place->base = like->base;
	place->device = like->device;
	place->inode = like->inode;
	place->mtime_ns = like->mtime_ns;
	place->path = path ? keep_path(handoff, path) : 0;
	__atomic_store_n(&place->is_ready, 1, __ATOMIC_RELEASE);
	return at + 1;
}
