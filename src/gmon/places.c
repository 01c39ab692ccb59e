// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/places.h"

#include "base/array.h"
#include "gmon/scan.h"
#include "histogram/histogram.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#define REASONS_USED 2
#define NOWHERE UINT64_MAX /* behind all objects' numbers */

/* The room for everything: places and calls, as much again for sorting them, and objects. */
struct room {
	struct places *places;
	struct place *spare;
	struct places_call *spare_calls;
	size_t capacity; /* of places */
};

struct sorting {
	size_t count, size;
	int (*compare)(const void *left, const void *right);
};

/* Two runs of up to WIDTH elements from FIRST on become one in TO. */
static void merge(const struct sorting *sorting, const char *from, char *to, size_t first,
		  size_t width)
{
	size_t count = sorting->count, size = sorting->size;
	size_t middle = count - first < width ? count : first + width;
	size_t end = count - middle < width ? count : middle + width;
	size_t left = first, right = middle;

	for (size_t i = first; i < end; i++) {
		bool is_left = left < middle &&
			       (right == end ||
				sorting->compare(from + left * size, from + right * size) <= 0);

		memcpy(to + i * size, from + (is_left ? left++ : right++) * size, size);
	}
}

void places_sort(void *items, void *spare, size_t count, size_t size,
		 int (*compare)(const void *left, const void *right))
{
	struct sorting sorting = {.count = count, .size = size, .compare = compare};
	char *from = items, *to = spare;

	for (size_t width = 1; width < count; width *= 2) {
		char *swapped = from;

		for (size_t first = 0; first < count; first += 2 * width)
			merge(&sorting, from, to, first, width);
		from = to;
		to = swapped;
	}
	if (from != items)
		memcpy(items, from, count * size);
}

static size_t count_cells(void)
{
	size_t count = 0;

	for (const struct object *each = objects_first(); each; each = each->next)
		count += scan_count(each);
	return count;
}

static size_t count_objects(void)
{
	size_t count = 1;

	for (const struct object *each = objects_first(); each; each = each->next)
		count++;
	return count;
}

static size_t count_calls(const struct arcs_table *calls)
{
	size_t count = 0;

	for (uint32_t i = 0; i < arcs_used(calls); i++)
		count += calls->arcs[i].count != 0;
	return count;
}

static int make_room(struct room *room, const struct arcs_table *calls)
{
	struct places *places = room->places;
	size_t call_count = count_calls(calls);
	size_t capacity = count_cells() + REASONS_USED + 2 * call_count;
	size_t bytes =
		2 * (capacity * sizeof(struct place) + call_count * sizeof(struct places_call)) +
		count_objects() * sizeof(*places->objects);
	void *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -ENOMEM;
	*places = (struct places){.places = memory, .memory = memory, .bytes = bytes};
	room->capacity = capacity;
	room->spare = places->places + capacity;
	places->calls = (struct places_call *)(room->spare + capacity);
	room->spare_calls = places->calls + call_count;
	places->objects = (const struct object **)(room->spare_calls + call_count);
	return 0;
}

static void add(struct room *room, const struct place *place)
{
	struct places *places = room->places;

	places->places[places->count++] = *place;
	places->ticks += place->ticks;
}

static struct place place_in(const struct object *object, uintptr_t address)
{
	return (struct place){.object = object->number, .address = address - object->base};
}

/* One that has come since the cells were counted may find no room: it is of a later time. */
static void add_cells(struct room *room, const struct object *object)
{
	struct scan scan;
	uint64_t ticks;
	size_t cell;

	scan_begin(&scan, object);
	while (room->places->count < room->capacity - REASONS_USED &&
	       scan_next(&scan, &cell, &ticks)) {
		struct place place = place_in(object, object->low + cell * OBJECT_GRANULE);

		place.ticks = ticks;
		add(room, &place);
	}
	scan_end(&scan);
}

static void add_nowhere(struct room *room, enum unresolved_reason reason, uint64_t ticks)
{
	struct place place = {.object = NOWHERE, .address = reason, .ticks = ticks};

	if (ticks)
		add(room, &place);
}

/* The call is the byte before the one it returns to, see formats.c; of mcount's, too: what follows
 * may be another function's that was inlined.  False: it is of no object's function. */
static bool ends_of(const struct arcs_arc *arc, struct place *ret_callee, struct place *ret_caller,
		    bool *ret_has_caller)
{
	const struct object *caller = objects_at(arc->from - 1), *callee = objects_at(arc->self);

	*ret_has_caller = caller;
	if (!arc->count || !callee)
		return false;
	*ret_callee = place_in(callee, arc->self - 1);
	if (caller)
		*ret_caller = place_in(caller, arc->from - 1);
	return true;
}

static void add_ends(struct room *room, const struct arcs_arc *arc)
{
	struct place callee, caller;
	bool has_caller;

	if (!ends_of(arc, &callee, &caller, &has_caller))
		return;
	add(room, &callee);
	if (has_caller)
		add(room, &caller);
}

static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	ARRAY_COMPARE(a->object, b->object);
	ARRAY_COMPARE(a->address, b->address);
	return 0;
}

static int compare_calls(const void *left, const void *right)
{
	const struct places_call *a = left, *b = right;

	ARRAY_COMPARE(a->callee, b->callee);
	ARRAY_COMPARE(a->caller, b->caller);
	return 0;
}

/* Each place once, with the ticks of all that are there. */
static void unite(struct places *places)
{
	size_t kept = 0;

	for (size_t i = 0; i < places->count; i++) {
		struct place *place = &places->places[i];

		if (kept && !compare(&places->places[kept - 1], place))
			places->places[kept - 1].ticks += place->ticks;
		else
			places->places[kept++] = *place;
	}
	places->count = kept;
}

/* It is among them. */
static uint32_t find(const struct places *places, const struct place *wanted)
{
	size_t at = ARRAY_FIRST_NOT(i, places->count, compare(&places->places[i], wanted) < 0);
	bool is_there = at < places->count && !compare(&places->places[at], wanted);

	return is_there ? (uint32_t)at : PLACES_NOBODY;
}

static void add_call(struct places *places, const struct arcs_arc *arc)
{
	struct places_call call = {.caller = PLACES_NOBODY, .count = arc->count};
	struct place callee, caller;
	bool has_caller;

	if (!ends_of(arc, &callee, &caller, &has_caller))
		return;
	call.callee = find(places, &callee);
	if (has_caller)
		call.caller = find(places, &caller);
	places->calls[places->call_count++] = call;
}

static const struct object *numbered(uint64_t number)
{
	const struct object *each = number == NOWHERE ? NULL : objects_first();

	while (each && each->number != number)
		each = each->next;
	return each;
}

/* From the objects' own numbers to indexes of those that are used. */
static void list_objects(struct places *places)
{
	uint64_t last = 0;

	for (size_t i = 0; i < places->count; i++) {
		uint64_t *number = &places->places[i].object;

		if (!i || *number != last)
			places->objects[places->object_count++] = numbered(*number);
		last = *number;
		*number = places->object_count - 1;
	}
}

/* Every sample is somewhere.  TICKS are in cells. */
static void add_elsewhere(struct room *room, const struct clock_account *account, uint64_t ticks)
{
	uint64_t known = ticks + account->outside;

	add_nowhere(room, UNRESOLVED_NO_REGION, account->outside);
	add_nowhere(room, UNRESOLVED_LOST, account->ticks > known ? account->ticks - known : 0);
}

int places_collect(struct places *ret_places, const struct arcs_table *calls,
		   const struct clock_account *account)
{
	struct room room = {.places = ret_places};
	int ret = make_room(&room, calls);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < arcs_used(calls); i++)
		add_ends(&room, &calls->arcs[i]);
	for (const struct object *each = objects_first(); each; each = each->next)
		add_cells(&room, each);
	add_elsewhere(&room, account, ret_places->ticks);
	places_sort(ret_places->places, room.spare, ret_places->count, sizeof(struct place),
		    compare);
	unite(ret_places);
	for (uint32_t i = 0; i < arcs_used(calls); i++)
		add_call(ret_places, &calls->arcs[i]);
	list_objects(ret_places);
	places_sort(ret_places->calls, room.spare_calls, ret_places->call_count,
		    sizeof(struct places_call), compare_calls);
	return 0;
}

void places_free(struct places *places)
{
	if (places->memory)
		(void)munmap(places->memory, places->bytes);
	*places = (struct places){};
}
