// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/place.h"

#include <stdlib.h>

static bool same_file(const struct profile_mapping *a, const struct profile_mapping *b)
{
	const struct file_identity *i = &a->identity, *j = &b->identity;

	return a->path == b->path && a->build_id == b->build_id && a->class == b->class &&
	       i->device == j->device && i->inode == j->inode && i->generation == j->generation &&
	       i->mtime_ns == j->mtime_ns;
}

uint32_t *place_objects(const struct profile *profile)
{
	uint32_t *objects = calloc(profile->mapping_count + 1, sizeof(*objects));

	if (!objects)
		return NULL;
	for (uint32_t i = 0; i < profile->mapping_count; i++) {
		while (objects[i] < i &&
		       !same_file(&profile->mappings[objects[i]], &profile->mappings[i]))
			objects[i]++;
	}
	return objects;
}

struct place place_of(const struct profile *profile, const uint32_t *objects,
		      const struct profile_location *location)
{
	struct place place = {.location = location, .object = objects[location->mapping]};
	const struct profile_function *function = profile_function_of(profile, location);
	const struct profile_function *inlined = profile_inlined_at(profile, location);

	if (!function)
		return place;
	place.function = function->name;
	place.inlined = inlined ? inlined->name : 0;
	place.file = inlined ? inlined->file : function->file;
	place.line = place.file ? profile->lines[location->first_line].line : 0;
	return place;
}
