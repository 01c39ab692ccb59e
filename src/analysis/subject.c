// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/subject.h"

#include "base/keyset.h"
#include "analysis/place.h"
#include "analysis/wanted.h"
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The name of the function that stands in the code, 0 when it has none. */
static uint32_t outer_name(const struct profile *profile, const struct profile_location *location)
{
	const struct profile_function *function = profile_function_of(profile, location);

	return function ? function->name : 0;
}

/* Give LOCATION a subject, a new one if it is the first of its name. */
static int place_location(const struct profile *profile, struct subjects *subjects,
			  struct keyset *keys, uint32_t location)
{
	const struct profile_location *where = &profile->locations[location];
	uint32_t name = outer_name(profile, where), object = subjects->objects[where->mapping];
	struct key key = {{object, name, name ? 0 : where->address}};
	int ret;

	ret = keyset_add(keys, &key, &subjects->of_locations[location]);
	if (ret <= 0)
		return ret;
	ret = ARRAY_RESERVE(subjects->items, subjects->capacity, subjects->count + 1);
	if (ret < 0)
		return ret;
	subjects->items[subjects->count++] = (struct subject){.object = object, .function = name};
	return 0;
}

static int place_all(const struct profile *profile, struct subjects *subjects)
{
	struct keyset keys = {0};
	int ret = 0;

	for (uint32_t i = 0; i < profile->location_count && ret >= 0; i++) {
		subjects->of_locations[i] = SUBJECT_NONE;
		if (profile_is_code(profile, &profile->locations[i]))
			ret = place_location(profile, subjects, &keys, i);
	}
	keyset_done(&keys);
	return ret;
}

/* Add the cells up.  A location may have cells of many tasks: its hottest cell is near enough to
 * find the code by. */
static int count(const struct profile *profile, const struct wanted *wanted,
		 struct subjects *subjects)
{
	uint64_t *peaks = calloc(subjects->count + 1, sizeof(*peaks));

	if (!peaks)
		return -ENOMEM;
	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		const struct profile_location *location = &profile->locations[cell->location];
		uint32_t number = subjects->of_locations[cell->location];
		struct subject *subject = &subjects->items[number];

		if (number == SUBJECT_NONE)
			continue;
		subject->ticks += cell->ticks;
		if (!wanted_matches(wanted, location))
			continue;
		subject->wanted += cell->ticks;
		subjects->asked[cell->location] = cell->ticks != 0;
		if (cell->ticks > peaks[number]) {
			peaks[number] = cell->ticks;
			subject->address = location->address;
		}
	}
	free(peaks);
	return 0;
}

struct order {
	const struct profile *profile;
	const struct subject *items;
};

static int compare(const void *left, const void *right, void *context)
{
	const struct order *order = context;
	const struct subject *a = &order->items[*(const uint32_t *)left];
	const struct subject *b = &order->items[*(const uint32_t *)right];
	int names;

	if (a->wanted != b->wanted)
		return a->wanted > b->wanted ? -1 : 1;
	names = strcmp(profile_text(order->profile, a->function),
		       profile_text(order->profile, b->function));
	if (names)
		return names;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->address < b->address ? -1 : a->address > b->address;
}

/* Sort the subjects, keep those that are wanted, and tell the locations their new numbers. */
static int rank(const struct profile *profile, struct subjects *subjects)
{
	struct order order = {profile, subjects->items};
	uint32_t *numbers = calloc(2 * subjects->count + 1, sizeof(*numbers));
	struct subject *sorted = calloc(subjects->count + 1, sizeof(*sorted));
	uint32_t *ranks = numbers ? numbers + subjects->count : NULL;
	size_t wanted = 0;

	if (!numbers || !sorted) {
		free(numbers);
		free(sorted);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < subjects->count; i++)
		numbers[i] = i;
	ARRAY_SORT_BY(numbers, subjects->count, compare, &order);
	for (uint32_t i = 0; i < subjects->count; i++) {
		sorted[i] = subjects->items[numbers[i]];
		ranks[numbers[i]] = sorted[i].wanted ? i : SUBJECT_NONE;
		wanted += sorted[i].wanted != 0;
	}
	for (size_t i = 0; i < profile->location_count; i++)
		if (subjects->of_locations[i] != SUBJECT_NONE)
			subjects->of_locations[i] = ranks[subjects->of_locations[i]];
	free(numbers);
	free(subjects->items);
	subjects->items = sorted;
	subjects->count = wanted;
	return 0;
}

static int find(const struct profile *profile, const char *what, struct subjects *subjects,
		struct error *reterr)
{
	struct wanted wanted;
	int ret;

	subjects->objects = place_objects(profile);
	subjects->of_locations =
		calloc(profile->location_count + 1, sizeof(*subjects->of_locations));
	subjects->asked = calloc(profile->location_count + 1, sizeof(*subjects->asked));
	if (!subjects->objects || !subjects->of_locations || !subjects->asked)
		return -ENOMEM;
	ret = wanted_init(&wanted, profile, subjects->objects, what, reterr);
	if (ret < 0)
		return ret;
	subjects->inlined = wanted.inlined;
	ret = place_all(profile, subjects);
	if (ret >= 0)
		ret = count(profile, &wanted, subjects);
	if (ret >= 0)
		ret = rank(profile, subjects);
	wanted_done(&wanted);
	if (ret >= 0 && !subjects->count)
		return error_set(
			reterr, -ENOENT,
			"no samples at an address: nothing to annotate: run longer or raise "
			"-F");
	return ret;
}

int subjects_find(const struct profile *profile, const char *what, struct subjects *ret_subjects,
		  struct error *reterr)
{
	int ret;

	*ret_subjects = (struct subjects){0};
	ret = find(profile, what, ret_subjects, reterr);
	if (ret < 0)
		subjects_done(ret_subjects);
	return ret;
}

void subjects_done(struct subjects *subjects)
{
	free(subjects->objects);
	free(subjects->of_locations);
	free(subjects->asked);
	free(subjects->items);
	*subjects = (struct subjects){0};
}
