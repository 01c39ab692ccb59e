// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff_private.h"

#include "analysis/names.h"
#include "base/array.h"
#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOT_YET UINT32_MAX
#define NO_ROW (UINT32_MAX - 1)

/* The best names of an address of a file, from whichever run has them. */
struct named {
	const struct profile *profile;
	const struct profile_location *location;
};

struct naming {
	struct keyset keys;
	struct named *items;
	size_t capacity;
};

const struct profile *differ_run(const struct differ *differ, size_t run, enum diff_side *ret_side)
{
	size_t before = differ->sides[DIFF_BEFORE].count;

	*ret_side = run < before ? DIFF_BEFORE : DIFF_AFTER;
	return run < before ? differ->sides[DIFF_BEFORE].items[run]
			    : differ->sides[DIFF_AFTER].items[run - before];
}

static const char *name_of(const struct profile *profile, const struct profile_location *location)
{
	const struct profile_function *function = profile_function_of(profile, location);

	return function ? profile_text(profile, function->name) : "";
}

static bool is_bare(const struct profile *profile, const struct profile_location *location)
{
	const struct profile_function *function = profile_function_of(profile, location);

	return !function || !function->system_name;
}

/* ---- names by address ---- */

/* Whether an address of LOCATION's file is the same code in every run; then *RET_KEY is its. */
static bool key_of_address(const struct differ *differ, size_t run, const struct profile *profile,
			   const struct profile_location *location, struct key *ret_key)
{
	const struct profile_mapping *mapping = &profile->mappings[location->mapping];
	uint32_t number = differ->numbers[run][location->mapping];

	if (location->kind != LOCATION_ADDRESS || !*profile_text(profile, mapping->build_id) ||
	    (mapping->class != CLASS_PROGRAM && mapping->class != CLASS_LIBRARIES))
		return false;
	*ret_key = (struct key){{differ->objects.items[number].build_id, location->address}};
	return true;
}

static bool is_better(const struct named *named, const struct profile *profile,
		      const struct profile_location *location)
{
	bool bare = is_bare(profile, location);
	bool named_bare = is_bare(named->profile, named->location);

	if (bare != named_bare)
		return named_bare;
	return location->line_count > named->location->line_count;
}

static int learn_run(const struct differ *differ, size_t run, struct naming *naming)
{
	enum diff_side side;
	const struct profile *profile = differ_run(differ, run, &side);
	uint32_t number;
	struct key key;

	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];
		int ret;

		if (!key_of_address(differ, run, profile, location, &key))
			continue;
		ret = keyset_add(&naming->keys, &key, &number);
		if (ret < 0 || ARRAY_RESERVE(naming->items, naming->capacity, naming->keys.count))
			return -ENOMEM;
		if (ret > 0 || is_better(&naming->items[number], profile, location))
			naming->items[number] = (struct named){profile, location};
	}
	return 0;
}

static int find_names(const struct differ *differ, size_t run, struct naming *naming,
		      const struct profile **profile, const struct profile_location **location)
{
	struct key key;
	uint32_t number;
	int ret;

	if (!key_of_address(differ, run, *profile, *location, &key))
		return 0;
	ret = keyset_add(&naming->keys, &key, &number);
	if (ret < 0)
		return ret;
	*profile = naming->items[number].profile;
	*location = naming->items[number].location;
	return 0;
}

static int find_spot(const struct differ *differ, const struct profile *profile,
		     const struct profile_location *location, struct diff_spot *ret_spot)
{
	struct diff_spot spot = {.function = name_of(profile, location), .file = ""};

	spot.bare = is_bare(profile, location);
	if (!*spot.function) {
		spot.function = spot.owned = names_bare(profile, location);
		if (!spot.owned)
			return -ENOMEM;
		spot.bare = names_bare_is_address(profile, location);
	}
	if (spot.bare && location->kind == LOCATION_ADDRESS &&
	    profile->mappings[location->mapping].class == CLASS_ANONYMOUS) {
		/* Memory of no file is elsewhere in each run: its addresses say nothing. */
		spot.function = "[anon]";
		spot.bare = false;
	}
	spot.outer = spot.function;
	if (location->line_count) {
		const struct profile_line *line = &profile->lines[location->first_line];
		const struct profile_function *inner = &profile->functions[line->function];

		spot.file = profile_text(profile, inner->file);
		spot.line = *spot.file ? line->line : 0;
		if (differ->diff->by == TABLE_BY_LINE && location->line_count > 1)
			spot.function = profile_text(profile, inner->name);
	}
	*ret_spot = spot;
	return 0;
}

/* ---- rows ---- */

static int keep(struct differ *differ, const char *text, const char **ret_text)
{
	uint32_t id;

	if (strings_add(differ->diff->strings, text, strlen(text), &id))
		return -ENOMEM;
	*ret_text = strings_get(differ->diff->strings, id);
	return 0;
}

static int name_row(struct differ *differ, struct diff_row *row)
{
	char *text;
	int ret;

	row->name = differ->diff->by == TABLE_BY_OBJECT ? row->object : row->function;
	if (differ->diff->by != TABLE_BY_LINE || !row->line)
		return 0;
	if (asprintf(&text, "%s:%u", path_base(row->file), row->line) < 0)
		return -ENOMEM;
	ret = keep(differ, text, &row->name);
	free(text);
	return ret;
}

/* The file is called what it is called after, where it is there after. */
static int describe_object(struct differ *differ, struct diff_row *row, enum diff_side side,
			   const struct diff_object *object)
{
	const char *path = strings_get(differ->objects.strings, object->path);

	row->class = object->class;
	row->parts[side].build_id = strings_get(differ->objects.strings, object->build_id);
	row->path = path;
	return keep(differ, *path ? path_base(path) : "[unknown]", &row->object);
}

static int describe_row(struct differ *differ, struct diff_row *row, const struct diff_spot *spot)
{
	bool by_line = differ->diff->by == TABLE_BY_LINE;

	row->function = row->file = row->moved_from = "";
	for (int side = 0; side < DIFF_SIDES; side++)
		row->parts[side].into = row->parts[side].build_id = "";
	if (differ->diff->by == TABLE_BY_OBJECT)
		return 0;
	row->bare = spot->bare;
	row->line = by_line ? spot->line : 0;
	if (by_line && keep(differ, spot->file, &row->file))
		return -ENOMEM;
	return keep(differ, spot->function, &row->function);
}

static int add_row(struct differ *differ, const struct diff_spot *spot)
{
	struct diff *diff = differ->diff;
	size_t count = diff->row_count + 1;

	if (ARRAY_RESERVE(diff->rows, diff->row_capacity, count) ||
	    ARRAY_RESERVE(differ->ticks, differ->ticks_capacity, count * differ->run_count) ||
	    ARRAY_RESERVE(differ->votes, differ->votes_capacity, count))
		return -ENOMEM;
	return describe_row(differ, &diff->rows[diff->row_count++], spot);
}

/* Where sources lay when it was built is not what a line is: two checkouts of one are compared. */
int diff_rows_key(const struct differ *differ, const struct diff_object *object,
		  const struct diff_spot *spot, char **ret_key)
{
	enum table_by by = differ->diff->by;
	bool by_line = by == TABLE_BY_LINE, by_object = by == TABLE_BY_OBJECT;
	const char *build =
		spot->bare ? strings_get(differ->objects.strings, object->build_id) : "";

	if (asprintf(ret_key, "%u\n%s\n%s\n%s\n%u", object->same, by_object ? "" : build,
		     by_object ? "" : spot->function, by_line ? path_base(spot->file) : "",
		     by_line ? spot->line : 0) < 0)
		return -ENOMEM;
	return 0;
}

int diff_rows_find(struct differ *differ, enum diff_side side, const struct diff_object *object,
		   const struct diff_spot *spot, const char *key, uint32_t *ret_row)
{
	int ret = strings_add(differ->keys, key, strlen(key), ret_row);
	struct diff_row *row;

	if (ret >= 0 && --*ret_row >= differ->diff->row_count)
		ret = add_row(differ, spot);
	if (ret < 0)
		return ret;
	row = &differ->diff->rows[*ret_row];
	ret = describe_object(differ, row, side, object);
	return ret < 0 ? ret : name_row(differ, row);
}

bool diff_rows_wanted(const struct differ *differ, const struct diff_object *object,
		      const struct diff_spot *spot)
{
	const char *path = strings_get(differ->objects.strings, object->path);
	const char *wanted = differ->options->object;

	if (wanted && strcmp(wanted, path) != 0 && strcmp(wanted, path_base(path)) != 0)
		return false;
	return !differ->function || !regexec(differ->function, spot->outer, 0, NULL, 0);
}

/* ---- samples ---- */

/* What a location of a run means, found once. */
struct meaning {
	uint32_t row;
};

int diff_rows_spot(const struct differ *differ, size_t run, uint32_t index, struct naming *naming,
		   const struct diff_object **ret_object, struct diff_spot *ret_spot)
{
	enum diff_side side;
	const struct profile *profile = differ_run(differ, run, &side);
	const struct profile_location *location = &profile->locations[index];
	int ret;

	*ret_object = &differ->objects.items[differ->numbers[run][location->mapping]];
	ret = find_names(differ, run, naming, &profile, &location);
	return ret < 0 ? ret : find_spot(differ, profile, location, ret_spot);
}

static int find_meaning(struct differ *differ, size_t run, enum diff_side side, uint32_t index,
			struct naming *naming, struct meaning *ret_meaning)
{
	const struct diff_object *object;
	struct diff_spot spot;
	char *key;
	int ret = diff_rows_spot(differ, run, index, naming, &object, &spot);

	if (ret < 0)
		return ret;
	ret_meaning->row = NO_ROW;
	if (diff_rows_wanted(differ, object, &spot)) {
		ret = diff_rows_key(differ, object, &spot, &key);
		if (ret >= 0) {
			ret = diff_rows_find(differ, side, object, &spot, key, &ret_meaning->row);
			free(key);
		}
	}
	free(spot.owned);
	return ret;
}

void diff_rows_charge(struct differ *differ, size_t run, uint32_t row, uint64_t ticks)
{
	uint64_t *run_ticks = &differ->ticks[row * differ->run_count + run];
	struct diff_part *part;
	enum diff_side side;

	(void)differ_run(differ, run, &side);
	part = &differ->diff->rows[row].parts[side];
	part->ticks = ticks_add(part->ticks, ticks);
	*run_ticks = ticks_add(*run_ticks, ticks);
}

static int add_cells(struct differ *differ, size_t run, struct naming *naming,
		     struct meaning *meanings)
{
	enum diff_side side;
	const struct profile *profile = differ_run(differ, run, &side);
	int ret = 0;

	for (size_t i = 0; i < profile->location_count; i++)
		meanings[i].row = NOT_YET;
	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++) {
		const struct profile_cell *cell = &profile->cells[i];
		struct meaning *meaning = &meanings[cell->location];

		if (!cell->ticks)
			continue;
		differ->run_ticks[run] = ticks_add(differ->run_ticks[run], cell->ticks);
		if (meaning->row == NOT_YET)
			ret = find_meaning(differ, run, side, cell->location, naming, meaning);
		if (ret >= 0 && meaning->row != NO_ROW)
			diff_rows_charge(differ, run, meaning->row, cell->ticks);
	}
	return ret;
}

static int add_run(struct differ *differ, size_t run, struct naming *naming)
{
	enum diff_side side;
	const struct profile *profile = differ_run(differ, run, &side);
	struct meaning *meanings = calloc(profile->location_count + 1, sizeof(*meanings));
	int ret = meanings ? add_cells(differ, run, naming, meanings) : -ENOMEM;

	free(meanings);
	return ret;
}

int diff_rows_build(struct differ *differ)
{
	bool by_stack = differ->diff->by_path || differ->diff->by_frame;
	struct naming naming = {.capacity = 0};
	enum diff_side side;
	int ret = 0;

	differ->objects.strings = differ->diff->strings;
	for (size_t run = 0; run < differ->run_count && ret >= 0; run++) {
		const struct profile *profile = differ_run(differ, run, &side);

		ret = diff_objects_add(&differ->objects, profile, side, &differ->numbers[run]);
	}
	diff_objects_match(&differ->objects);
	for (size_t run = 0; run < differ->run_count && ret >= 0; run++)
		ret = learn_run(differ, run, &naming);
	for (size_t run = 0; run < differ->run_count && ret >= 0; run++)
		ret = by_stack ? diff_paths_add(differ, run, &naming)
			       : add_run(differ, run, &naming);
	if (ret >= 0 && differ->diff->by_frame)
		ret = diff_frames_build(differ);
	for (size_t run = 0; run < differ->run_count && ret >= 0 && !by_stack; run++)
		ret = diff_inlined_add(differ, run);
	keyset_done(&naming.keys);
	free(naming.items);
	return ret;
}
