// SPDX-License-Identifier: BSD-2-Clause
#include "profile/main_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct candidate {
	bool is_named; /* the command line begins with it */
	uint64_t ticks;
};

/* The base name in the first LENGTH bytes of TEXT, a path; *RET_LENGTH its own. */
static const char *base_of(const char *text, size_t length, size_t *ret_length)
{
	const char *slash = memrchr(text, '/', length);
	const char *base = slash ? slash + 1 : text;

	*ret_length = length - (size_t)(base - text);
	return base;
}

/* Whether the command begins with PATH or a file of the same name elsewhere: it may have been found
 * by PATH, or through a link to its folder. */
static bool begins_with(const char *command, const char *path)
{
	size_t wanted_length, length;
	const char *wanted = base_of(command, strcspn(command, " "), &wanted_length);
	const char *base = base_of(path, strlen(path), &length);

	return length && length == wanted_length && !memcmp(base, wanted, length);
}

static bool is_better(const struct candidate *candidate, const struct candidate *than)
{
	if (candidate->is_named != than->is_named)
		return candidate->is_named;
	return candidate->ticks > than->ticks;
}

/* Of CANDIDATES, one a mapping; 0 where no mapping is a program. */
static uint32_t choose(const struct profile *profile, struct candidate *candidates)
{
	const char *command = profile_text(profile, profile->facts.command);
	uint32_t best = 0;
	bool has_best = false;

	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		uint64_t *ticks = &candidates[profile->locations[cell->location].mapping].ticks;

		*ticks = ticks_add(*ticks, cell->ticks);
	}
	for (uint32_t i = 0; i < profile->mapping_count; i++) {
		const struct profile_mapping *mapping = &profile->mappings[i];

		if (mapping->class != CLASS_PROGRAM)
			continue;
		candidates[i].is_named = begins_with(command, profile_text(profile, mapping->path));
		if (!has_best || is_better(&candidates[i], &candidates[best]))
			best = i;
		has_best = true;
	}
	return best;
}

/* The mappings before it move up by one. */
static void put_first(struct profile *profile, uint32_t number)
{
	struct profile_mapping first = profile->mappings[number];

	memmove(profile->mappings + 1, profile->mappings, number * sizeof(first));
	profile->mappings[0] = first;
	for (size_t i = 0; i < profile->location_count; i++) {
		uint32_t *mapping = &profile->locations[i].mapping;

		if (*mapping == number)
			*mapping = 0;
		else if (*mapping < number)
			(*mapping)++;
	}
}

int main_program_first(struct profile *profile)
{
	struct candidate *candidates = calloc(profile->mapping_count + 1, sizeof(*candidates));
	uint32_t number;

	if (!candidates)
		return -ENOMEM;
	number = choose(profile, candidates);
	free(candidates);
	if (number)
		put_first(profile, number);
	return 0;
}
