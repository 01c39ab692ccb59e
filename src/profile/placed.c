// SPDX-License-Identifier: BSD-2-Clause
#include "profile/placed.h"

#include "base/array.h"
#include "profile/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int placed_add(struct placed_list *list, const struct placed *placed)
{
	if (ARRAY_RESERVE(list->items, list->capacity, list->count + 1))
		return -ENOMEM;
	list->items[list->count++] = *placed;
	return 0;
}

int placed_add_call(struct placed_list *list, const struct placed_call *call)
{
	if (ARRAY_RESERVE(list->calls, list->call_capacity, list->call_count + 1))
		return -ENOMEM;
	list->calls[list->call_count++] = *call;
	return 0;
}

void placed_done(struct placed_list *list)
{
	free(list->items);
	free(list->calls);
	*list = (struct placed_list){0};
}

static int compare_mappings(const void *left, const void *right, void *context)
{
	const struct profile *profile = context;

	return order_mappings(profile, &profile->mappings[*(const uint32_t *)left],
			      &profile->mappings[*(const uint32_t *)right]);
}

static void renumber_places(struct placed_list *list, const uint32_t *number)
{
	for (size_t i = 0; i < list->count; i++)
		list->items[i].mapping = number[list->items[i].mapping];
	for (size_t i = 0; i < list->call_count; i++) {
		struct placed_call *call = &list->calls[i];

		call->callee.mapping = number[call->callee.mapping];
		if (call->has_caller)
			call->caller.mapping = number[call->caller.mapping];
	}
}

/* ORDER and NUMBER have a place for each mapping. */
static void renumber_mappings(struct placed_list *list, struct profile *profile, uint32_t *order,
			      uint32_t *number, struct profile_mapping *sorted)
{
	size_t count = 0;

	for (uint32_t i = 0; i < profile->mapping_count; i++)
		order[i] = i;
	ARRAY_SORT_BY(order, profile->mapping_count, compare_mappings, profile);
	for (size_t i = 0; i < profile->mapping_count; i++) {
		if (!i || compare_mappings(&order[i - 1], &order[i], profile))
			sorted[count++] = profile->mappings[order[i]];
		number[order[i]] = (uint32_t)count - 1;
	}
	renumber_places(list, number);
	memcpy(profile->mappings, sorted, count * sizeof(*sorted));
	profile->mapping_count = count;
}

static int sort_mappings(struct placed_list *list, struct profile *profile)
{
	size_t room = profile->mapping_count;
	struct profile_mapping *sorted = calloc(room, sizeof(*sorted));
	uint32_t *order = calloc(room, sizeof(*order)), *number = calloc(room, sizeof(*number));
	int ret = sorted && order && number ? 0 : -ENOMEM;

	if (!ret)
		renumber_mappings(list, profile, order, number, sorted);
	free(sorted);
	free(order);
	free(number);
	return ret;
}

static int compare_places(const struct placed *a, const struct placed *b)
{
	ARRAY_COMPARE(a->mapping, b->mapping);
	ARRAY_COMPARE(a->kind, b->kind);
	ARRAY_COMPARE(a->address, b->address);
	return 0;
}

static int compare_placed(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;
	int order = compare_places(a, b);

	if (order)
		return order;
	ARRAY_COMPARE(a->task, b->task);
	return 0;
}

static int compare_calls(const void *left, const void *right)
{
	const struct placed_call *a = left, *b = right;
	int order = compare_places(&a->callee, &b->callee);

	if (order)
		return order;
	ARRAY_COMPARE(b->has_caller, a->has_caller);
	return a->has_caller ? compare_places(&a->caller, &b->caller) : 0;
}

/* All places, whatever is at them, in order and each once. */
static struct placed *collect_places(const struct placed_list *list, size_t *ret_count)
{
	struct placed *places = calloc(list->count + 2 * list->call_count + 1, sizeof(*places));
	size_t count = 0, kept = 0;

	if (!places)
		return NULL;
	for (size_t i = 0; i < list->count; i++)
		places[count++] = list->items[i];
	for (size_t i = 0; i < list->call_count; i++) {
		places[count++] = list->calls[i].callee;
		if (list->calls[i].has_caller)
			places[count++] = list->calls[i].caller;
	}
	ARRAY_SORT(places, count, compare_placed);
	for (size_t i = 0; i < count; i++)
		if (!kept || compare_places(&places[kept - 1], &places[i]))
			places[kept++] = places[i];
	*ret_count = kept;
	return places;
}

/* COUNT places are the profile's locations: the number of the one that WANTED is. */
static uint32_t find_place(const struct placed *places, size_t count, const struct placed *wanted)
{
	size_t behind = ARRAY_FIRST_NOT(i, count, compare_places(&places[i], wanted) <= 0);

	return behind ? (uint32_t)behind - 1 : 0;
}

static int add_locations(const struct placed *places, size_t count, struct profile *profile)
{
	uint32_t index;
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++) {
		struct profile_location location = {
			.kind = places[i].kind,
			.mapping = places[i].mapping,
			.address = places[i].address,
		};

		ret = profile_add_location(profile, &location, &index);
	}
	return ret;
}

/* LIST is sorted: a cell that equals its neighbour is added to it. */
static int add_cells(const struct placed_list *list, const struct placed *places, size_t count,
		     struct profile *profile)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < list->count; i++) {
		const struct placed *placed = &list->items[i];
		struct profile_cell cell = {.task = placed->task, .ticks = placed->ticks};

		if (i && !compare_placed(placed - 1, placed)) {
			struct profile_cell *last = &profile->cells[profile->cell_count - 1];

			last->ticks = ticks_add(last->ticks, placed->ticks);
			continue;
		}
		cell.location = find_place(places, count, placed);
		ret = profile_add_cell(profile, &cell);
	}
	return ret;
}

static int add_calls(const struct placed_list *list, const struct placed *places, size_t count,
		     struct profile *profile)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < list->call_count; i++) {
		const struct placed_call *placed = &list->calls[i];
		struct profile_call call = {.caller = PROFILE_NO_CALLER, .count = placed->count};

		if (i && !compare_calls(placed - 1, placed)) {
			struct profile_call *last = &profile->calls[profile->call_count - 1];

			last->count = ticks_add(last->count, placed->count);
			continue;
		}
		call.callee = find_place(places, count, &placed->callee);
		if (placed->has_caller)
			call.caller = find_place(places, count, &placed->caller);
		ret = profile_add_call(profile, &call);
	}
	return ret;
}

static int add_all(struct placed_list *list, struct profile *profile)
{
	size_t count;
	struct placed *places = collect_places(list, &count);
	int ret = -ENOMEM;

	ARRAY_SORT(list->items, list->count, compare_placed);
	ARRAY_SORT(list->calls, list->call_count, compare_calls);
	if (places)
		ret = add_locations(places, count, profile);
	ret = ret ? ret : add_cells(list, places, count, profile);
	ret = ret ? ret : add_calls(list, places, count, profile);
	free(places);
	return ret;
}

int placed_settle(struct placed_list *list, struct profile *profile)
{
	int ret;

	if (!list->count && !list->call_count)
		return 0;
	ret = sort_mappings(list, profile);
	return ret ? ret : add_all(list, profile);
}
