// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A function that is inlined has no samples of its own any more: its row says where they are.  A
 * line keeps them. */

static void cast_vote(struct vote *vote, const char *text, uint64_t ticks)
{
	if (!strcmp(vote->text ? vote->text : "", text)) {
		vote->lead = ticks_add(vote->lead, ticks);
	} else if (vote->lead >= ticks) {
		vote->lead -= ticks;
	} else {
		vote->lead = ticks - vote->lead;
		vote->text = text;
	}
}

/* Returns 0 and the row of SPOT in OBJECT, or -ENOENT, or -ENOMEM. */
static int find_row(const struct differ *differ, const struct diff_object *object,
		    const struct diff_spot *spot, uint32_t *ret_row)
{
	char *key;
	int ret = diff_rows_key(differ, object, spot, &key);

	if (ret < 0)
		return ret;
	ret = strings_find(differ->keys, key, strlen(key), ret_row) ? 0 : -ENOENT;
	free(key);
	if (!ret)
		--*ret_row;
	return ret;
}

/* One frame of a location, which was inlined INTO a function. */
static int add_frame(struct differ *differ, enum diff_side side, const struct diff_object *object,
		     const struct diff_spot *spot, const char *into, uint64_t ticks)
{
	struct diff_part *part;
	uint32_t row, id;
	int ret = find_row(differ, object, spot, &row);

	if (ret == -ENOENT)
		return 0;
	if (ret < 0 || strings_add(differ->diff->strings, into, strlen(into), &id))
		return -ENOMEM;
	part = &differ->diff->rows[row].parts[side];
	part->inlined = ticks_add(part->inlined, ticks);
	cast_vote(&differ->votes[row][side], strings_get(differ->diff->strings, id), ticks);
	part->into = differ->votes[row][side].text;
	return 0;
}

static int add_cell(struct differ *differ, size_t run, const struct profile_cell *cell)
{
	enum diff_side side;
	const struct profile *profile = differ_run(differ, run, &side);
	const struct profile_location *location = &profile->locations[cell->location];
	const struct profile_function *outer = profile_function_of(profile, location);
	const struct profile_line *lines;
	const struct diff_object *object;
	uint32_t frames;
	int ret = 0;

	if (!cell->ticks || !profile_inlined_at(profile, location))
		return 0;
	lines = &profile->lines[location->first_line];
	object = &differ->objects.items[differ->numbers[run][location->mapping]];
	frames = differ->diff->by == TABLE_BY_LINE ? 1 : location->line_count - 1;
	for (uint32_t i = 0; i < frames && ret >= 0; i++) {
		const struct profile_function *function = &profile->functions[lines[i].function];
		const struct diff_spot spot = {
			.function = profile_text(profile, function->name),
			.file = profile_text(profile, function->file),
			.line = function->file ? lines[i].line : 0,
		};

		if (function->name != outer->name)
			ret = add_frame(differ, side, object, &spot,
					profile_text(profile, outer->name), cell->ticks);
	}
	return ret;
}

int diff_inlined_add(struct differ *differ, size_t run)
{
	enum diff_side side;
	const struct profile *profile = differ_run(differ, run, &side);
	int ret = 0;

	if (differ->diff->by == TABLE_BY_OBJECT)
		return 0;
	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++)
		ret = add_cell(differ, run, &profile->cells[i]);
	return ret;
}
