// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/inlines.h"

#include "base/trie.h"
#include "profile/contexts.h"

#include <errno.h>
#include <stdlib.h>

struct opening {
	struct profile *profile;
	struct trie contexts;	     /* the new ones */
	uint32_t *inner;	     /* of each location, the first of those inlined there */
	uint32_t *places;	     /* of each old context, its innermost frame's index and 1 */
	struct profile_context *old; /* as they were */
};

/* LOCATION becomes that of the function itself; behind all there are come those of what was inlined
 * there, from the outermost in. */
static int open_location(struct opening *opening, uint32_t index)
{
	struct profile *profile = opening->profile;
	struct profile_location one = profile->locations[index];
	uint32_t count = one.line_count, added;
	int ret = 0;

	opening->inner[index] = (uint32_t)profile->location_count;
	if (count < 2)
		return 0;
	one.line_count = 1;
	one.first_line += count - 1;
	profile->locations[index] = one;
	one.inlined = true;
	while (--count && ret >= 0) {
		one.first_line--;
		ret = profile_add_location(profile, &one, &added);
	}
	return ret;
}

/* CALL is made from *PLACE, an index in contexts and 1, and becomes *PLACE. */
static int push(struct opening *opening, struct profile_context call, uint32_t *place)
{
	call.parent = *place;
	return contexts_add(&opening->contexts, opening->profile, &call, place);
}

/* How many functions were inlined at LOCATION, of COUNT locations before they were opened. */
static uint32_t depth_at(const struct opening *opening, uint32_t location, size_t count)
{
	uint32_t end = location + 1 < count ? opening->inner[location + 1]
					    : (uint32_t)opening->profile->location_count;

	return end - opening->inner[location];
}

static int open_context(struct opening *opening, uint32_t index, size_t locations)
{
	struct profile_context call = opening->old[index];
	uint32_t place = call.parent ? opening->places[call.parent - 1] : 0;
	uint32_t inner = opening->inner[call.location];
	uint32_t depth = depth_at(opening, call.location, locations);
	int ret = push(opening, call, &place);

	call.folded = false;
	for (uint32_t i = 0; i < depth && ret >= 0; i++) {
		call.location = inner + i;
		ret = push(opening, call, &place);
	}
	opening->places[index] = place;
	return ret;
}

/* The innermost frame stays the cell's own place, and those around it call. */
static int open_cell(struct opening *opening, struct profile_cell *cell, size_t locations)
{
	uint32_t inner = opening->inner[cell->location];
	uint32_t depth = depth_at(opening, cell->location, locations);
	uint32_t place = cell->context ? opening->places[cell->context - 1] : 0;
	int ret = 0;

	for (uint32_t i = 0; i < depth && ret >= 0; i++) {
		/* It is at its very address, as what was interrupted is. */
		struct profile_context call = {.location = cell->location, .interrupted = true};

		ret = push(opening, call, &place);
		cell->location = inner + i;
	}
	cell->context = place;
	return ret;
}

/* What a program counted was called from the innermost function at the place of the call. */
static void open_call(struct opening *opening, struct profile_call *call, size_t locations)
{
	uint32_t depth =
		call->caller == PROFILE_NO_CALLER ? 0 : depth_at(opening, call->caller, locations);

	if (depth)
		call->caller = opening->inner[call->caller] + depth - 1;
}

static int open_all(struct opening *opening)
{
	struct profile *profile = opening->profile;
	size_t locations = profile->location_count, contexts = profile->context_count;
	int ret = 0;

	for (uint32_t i = 0; i < locations && ret >= 0; i++)
		ret = open_location(opening, i);
	opening->old = profile->contexts;
	profile->contexts = NULL;
	profile->context_count = profile->context_capacity = 0;
	for (uint32_t i = 0; i < contexts && ret >= 0; i++)
		ret = open_context(opening, i, locations);
	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++)
		ret = open_cell(opening, &profile->cells[i], locations);
	for (size_t i = 0; i < profile->amount_count && ret >= 0; i++)
		ret = open_cell(opening, &profile->amounts[i], locations);
	for (size_t i = 0; i < profile->call_count && ret >= 0; i++)
		open_call(opening, &profile->calls[i], locations);
	return ret;
}

int inlines_open(struct profile *profile)
{
	struct opening opening = {
		.profile = profile,
		.inner = calloc(profile->location_count + 1, sizeof(uint32_t)),
		.places = calloc(profile->context_count + 1, sizeof(uint32_t)),
	};
	int ret = opening.inner && opening.places ? open_all(&opening) : -ENOMEM;

	trie_done(&opening.contexts);
	free(opening.inner);
	free(opening.places);
	free(opening.old);
	return ret < 0 ? ret : 0;
}
