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

void placed_done(struct placed_list *list)
{
	free(list->items);
	*list = (struct placed_list){0};
}

#define COMPARE(a, b)                              \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int compare_mappings(const void *left, const void *right, void *context)
{
	const struct profile *profile = context;

	return order_mappings(profile, &profile->mappings[*(const uint32_t *)left],
			      &profile->mappings[*(const uint32_t *)right]);
}

/* ORDER and NUMBER have a place for each mapping. */
static void renumber_mappings(struct placed_list *list, struct profile *profile, uint32_t *order,
			      uint32_t *number, struct profile_mapping *sorted)
{
	size_t count = 0;

	for (uint32_t i = 0; i < profile->mapping_count; i++)
		order[i] = i;
	qsort_r(order, profile->mapping_count, sizeof(*order), compare_mappings, profile);
	for (size_t i = 0; i < profile->mapping_count; i++) {
		if (!i || compare_mappings(&order[i - 1], &order[i], profile))
			sorted[count++] = profile->mappings[order[i]];
		number[order[i]] = (uint32_t)count - 1;
	}
	for (size_t i = 0; i < list->count; i++)
		list->items[i].mapping = number[list->items[i].mapping];
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
	COMPARE(a->mapping, b->mapping);
	COMPARE(a->kind, b->kind);
	COMPARE(a->address, b->address);
	return 0;
}

static int compare_placed(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;
	int order = compare_places(a, b);

	if (order)
		return order;
	COMPARE(a->task, b->task);
	return 0;
}

/* LIST is sorted: equal places stand side by side and share a location; a cell that equals its
 * neighbour in its task too is added to it. */
static int add_cells(const struct placed_list *list, struct profile *profile)
{
	struct profile_cell cell;
	int ret = 0;

	for (size_t i = 0; !ret && i < list->count; i++) {
		const struct placed *placed = &list->items[i];
		struct profile_location location = {
			.kind = placed->kind,
			.mapping = placed->mapping,
			.address = placed->address,
		};

		if (i && !compare_placed(placed - 1, placed)) {
			struct profile_cell *last = &profile->cells[profile->cell_count - 1];

			last->ticks = ticks_add(last->ticks, placed->ticks);
			continue;
		}
		if (!i || compare_places(placed - 1, placed))
			ret = profile_add_location(profile, &location, &cell.location);
		cell.task = placed->task;
		cell.ticks = placed->ticks;
		ret = ret ? ret : profile_add_cell(profile, &cell);
	}
	return ret;
}

int placed_settle(struct placed_list *list, struct profile *profile)
{
	int ret;

	if (!list->count)
		return 0;
	ret = sort_mappings(list, profile);
	if (ret)
		return ret;
	qsort(list->items, list->count, sizeof(*list->items), compare_placed);
	return add_cells(list, profile);
}
