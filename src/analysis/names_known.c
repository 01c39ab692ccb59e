// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/names_known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

static bool is_same(const struct profile *one, const struct profile_mapping *left,
		    const struct profile *other, const struct profile_mapping *right)
{
	return left->class == right->class && left->start == right->start &&
	       left->limit == right->limit && left->offset == right->offset &&
	       !strcmp(profile_text(one, left->path), profile_text(other, right->path)) &&
	       !strcmp(profile_text(one, left->build_id), profile_text(other, right->build_id)) &&
	       !strcmp(profile_text(one, left->note), profile_text(other, right->note));
}

/* Most stand behind the one before in both, so the search goes on there. */
static void find_mappings(struct names_known *names, const struct profile *profile)
{
	const struct profile *known = names->known;
	size_t at = 0;

	for (size_t i = 0; i < profile->mapping_count; i++) {
		names->mappings[i] = NONE;
		for (size_t looks = 0; looks < known->mapping_count; looks++) {
			size_t j = (at + looks) % known->mapping_count;

			if (!is_same(profile, &profile->mappings[i], known, &known->mappings[j]))
				continue;
			names->mappings[i] = (uint32_t)j;
			at = j + 1;
			break;
		}
	}
}

int names_known_init(struct names_known *names, const struct profile *profile,
		     const struct profile *known)
{
	*names = (struct names_known){.known = known};
	if (!known)
		return 0;
	names->mappings = calloc(profile->mapping_count + 1, sizeof(*names->mappings));
	names->next = calloc(known->mapping_count + 1, sizeof(*names->next));
	if (!names->mappings || !names->next)
		return -ENOMEM;
	find_mappings(names, profile);
	for (size_t i = known->location_count; i--;)
		names->next[known->locations[i].mapping] = (uint32_t)i;
	return 0;
}

void names_known_done(struct names_known *names)
{
	free(names->mappings);
	free(names->next);
}

static int compare(const struct profile_location *left, const struct profile_location *right)
{
	if (left->kind != right->kind)
		return left->kind < right->kind ? -1 : 1;
	return left->address < right->address ? -1 : left->address > right->address;
}

/* A process goes on to write the map of what it compiles: code of no file that has no name may get
 * one. */
static bool is_final(const struct profile *known, const struct profile_location *location)
{
	const struct profile_line *line = &known->lines[location->first_line];

	return location->line_count &&
	       (known->mappings[location->mapping].class != CLASS_ANONYMOUS ||
		*profile_text(known, known->functions[line->function].system_name));
}

const struct profile_location *names_known_find(struct names_known *names,
						const struct profile_location *location)
{
	const struct profile *known = names->known;
	uint32_t mapping = known ? names->mappings[location->mapping] : NONE;
	const struct profile_location *found = NULL;

	if (mapping == NONE)
		return NULL;
	for (uint32_t *next = &names->next[mapping]; *next < known->location_count; ++*next) {
		found = &known->locations[*next];
		if (found->mapping != mapping || compare(found, location) >= 0)
			break;
	}
	return found && found->mapping == mapping && !compare(found, location) &&
			       is_final(known, found)
		       ? found
		       : NULL;
}
