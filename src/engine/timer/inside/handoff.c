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

static bool may_take_cell(struct handoff *handoff)
{
	if (__atomic_fetch_add(&handoff->cell_count, 1, __ATOMIC_RELAXED) < handoff->cell_limit)
		return true;
	__atomic_fetch_sub(&handoff->cell_count, 1, __ATOMIC_RELAXED);
	return false;
}

/* Take CELL for KEY.  Returns whether it is KEY's now, whoever took it. */
static bool take_cell(struct handoff *handoff, struct handoff_cell *cell, uint64_t key)
{
	uint64_t found = 0;

	if (__atomic_compare_exchange_n(&cell->key, &found, key, /* weak= */ false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return true;
	__atomic_fetch_sub(&handoff->cell_count, 1, __ATOMIC_RELAXED);
	return found == key;
}

/* As many steps as there are cells, for a program may have written over all that are free. */
static struct handoff_cell *find_cell(struct handoff *handoff, uint64_t key)
{
	uint64_t mask = handoff->cell_room - 1, at = mixed(key) & mask;

	for (uint64_t steps = 0; steps <= mask; steps++, at = (at + 1) & mask) {
		struct handoff_cell *cell = &handoff->cells[at];
		uint64_t found = __atomic_load_n(&cell->key, __ATOMIC_RELAXED);

		if (found == key)
			return cell;
		if (found)
			continue;
		if (!may_take_cell(handoff))
			return NULL;
		if (take_cell(handoff, cell, key))
			return cell;
	}
	return NULL;
}

static void overflow(struct handoff *handoff, uint64_t key, uint64_t ticks)
{
	struct handoff_place *place = &handoff->places[handoff_key_place(key) - 1];

	if (place->kind == HANDOFF_FILE)
		add(&place->overflow, ticks);
	else
		add(&handoff->cells_full, ticks);
}

bool handoff_add(struct handoff *handoff, uint64_t key, uint64_t ticks, uint64_t *ret_cell)
{
	struct handoff_cell *cell = find_cell(handoff, key);

	if (!cell) {
		overflow(handoff, key, ticks);
		return false;
	}
	add(&cell->ticks, ticks);
	*ret_cell = (uint64_t)(cell - handoff->cells);
	return true;
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
