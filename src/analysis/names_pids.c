// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/names_pids.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

#define NO_MAP UINT32_MAX /* for a process: its map is not of this */

/* A cell of anonymous code always knows its process, also in a profile from elsewhere. */
static void find_pids(const struct profile *profile, const struct profile_cell *cells, size_t count,
		      uint32_t *pids)
{
	for (size_t i = 0; i < count; i++) {
		const struct profile_cell *cell = &cells[i];
		uint32_t mapping = profile->locations[cell->location].mapping;

		if (cell->task != PROFILE_NO_TASK &&
		    profile->mappings[mapping].class == CLASS_ANONYMOUS)
			pids[cell->location] = profile->tasks[cell->task].pid;
	}
}

/* A mapping of anonymous code, and whose it is. */
struct image {
	uint32_t pid, exec, mapping;
};

static int compare_images(const void *left, const void *right)
{
	const struct image *a = left, *b = right;

	ARRAY_COMPARE(a->pid, b->pid);
	ARRAY_COMPARE(a->exec, b->exec);
	return 0;
}

static size_t find_images(const struct profile *profile, struct image *found)
{
	size_t count = 0;

	for (uint32_t i = 0; i < profile->mapping_count; i++) {
		const struct profile_mapping *mapping = &profile->mappings[i];
		struct image *next = &found[count];

		if (mapping->class != CLASS_ANONYMOUS)
			continue;
		next->mapping = i;
		next->pid =
			profile_anonymous_pid(profile_text(profile, mapping->path), &next->exec);
		count += next->pid != 0;
	}
	ARRAY_SORT(found, count, compare_images);
	return count;
}

/* Whose map names each mapping that says its process, and not only where a tick fell: a call has no
 * cell.  A map is that of the last program that a process executed, and names none of those before.
 */
static int find_maps(const struct profile *profile, uint32_t *maps)
{
	struct image *images = calloc(profile->mapping_count + 1, sizeof(*images));
	const struct image *last = NULL;

	if (!images)
		return -ENOMEM;
	for (size_t i = find_images(profile, images); i--;) {
		if (!last || last->pid != images[i].pid)
			last = &images[i];
		maps[images[i].mapping] = images[i].exec == last->exec ? last->pid : NO_MAP;
	}
	free(images);
	return 0;
}

static int find_pids_of_mappings(const struct profile *profile, uint32_t *pids)
{
	uint32_t *maps = calloc(profile->mapping_count + 1, sizeof(*maps));
	int ret = maps ? find_maps(profile, maps) : -ENOMEM;

	for (size_t i = 0; i < profile->location_count && !ret; i++) {
		uint32_t map = maps[profile->locations[i].mapping];

		if (map)
			pids[i] = map == NO_MAP ? 0 : map;
	}
	free(maps);
	return ret;
}

int names_pids(const struct profile *profile, uint32_t *pids)
{
	find_pids(profile, profile->cells, profile->cell_count, pids);
	find_pids(profile, profile->amounts, profile->amount_count, pids);
	return find_pids_of_mappings(profile, pids);
}
