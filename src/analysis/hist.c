// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/hist.h"

#include "analysis/hist_rows.h"
#include "analysis/names.h"
#include "analysis/opened.h"
#include "analysis/place.h"
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct build {
	struct hist *hist;
	const struct profile *profile;
	uint32_t *objects; /* place_objects() */
	uint32_t *numbers; /* for each mapping its object in hist, UINT32_MAX: none */
	uint64_t *shifts;
	struct code **codes; /* of each object, NULL: not to be had */
};

static bool is_wanted(const struct build *build, uint32_t object)
{
	const struct profile *profile = build->profile;
	const char *wanted = build->hist->options.object;

	return !wanted || !strcmp(wanted, names_object(profile, object)) ||
	       !strcmp(wanted, profile_text(profile, profile->mappings[object].path));
}

/* An object for each file that is wanted. */
static int number_objects(struct build *build)
{
	const struct profile *profile = build->profile;
	struct hist *hist = build->hist;

	hist->objects = calloc(profile->mapping_count + 1, sizeof(*hist->objects));
	build->objects = place_objects(profile);
	build->numbers = calloc(profile->mapping_count + 1, sizeof(*build->numbers));
	if (!hist->objects || !build->objects || !build->numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < profile->mapping_count; i++) {
		uint32_t first = build->objects[i];

		build->numbers[i] = UINT32_MAX;
		if (first < i) {
			build->numbers[i] = build->numbers[first];
			continue;
		}
		if (!is_wanted(build, i))
			continue;
		build->numbers[i] = (uint32_t)hist->object_count;
		hist->objects[hist->object_count++] = (struct hist_object){
			.object = names_object(profile, i),
			.path = profile_text(profile, profile->mappings[i].path),
			.class = profile->mappings[i].class,
			.mapping = i,
		};
	}
	return 0;
}

static int add_hit(struct build *build, const struct profile_cell *cell)
{
	const struct profile_location *location = &build->profile->locations[cell->location];
	uint32_t number = build->numbers[location->mapping];
	struct hist *hist = build->hist;
	struct hist_object *object;
	int ret;

	hist->total += cell->ticks;
	if (number == UINT32_MAX) {
		hist->filtered += cell->ticks;
		return 0;
	}
	if (!profile_is_code(build->profile, location)) {
		hist->nowhere += cell->ticks;
		return 0;
	}
	object = &hist->objects[number];
	ret = ARRAY_RESERVE(object->hits, object->hit_capacity, object->hit_count + 1);
	if (ret)
		return ret;
	object->hits[object->hit_count++] =
		(struct hist_hit){location->address, cell->ticks, cell->location};
	object->ticks += cell->ticks;
	hist->shown += cell->ticks;
	return 0;
}

static int compare_hits(const void *left, const void *right)
{
	const struct hist_hit *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->location < b->location ? -1 : a->location > b->location;
}

/* To the file's own addresses, each once, rising. */
static void settle_hits(struct build *build, struct hist_object *object)
{
	size_t count = 0;

	for (size_t i = 0; i < object->hit_count; i++)
		object->hits[i].address +=
			build->shifts[build->profile->locations[object->hits[i].location].mapping];
	ARRAY_SORT(object->hits, object->hit_count, compare_hits);
	for (size_t i = 0; i < object->hit_count; i++) {
		if (count && object->hits[count - 1].address == object->hits[i].address)
			object->hits[count - 1].ticks += object->hits[i].ticks;
		else
			object->hits[count++] = object->hits[i];
	}
	object->hit_count = count;
}

static void measure_text(struct hist_object *object, const struct code *code)
{
	const struct spans *ranges = code ? code_ranges(code) : NULL;

	object->start = object->hits[0].address;
	object->end = object->hits[object->hit_count - 1].address;
	/* The end is exclusive, but for an address than which none is higher. */
	if (object->end < UINT64_MAX)
		object->end++;
	else if (object->start == object->end)
		object->start--;
	for (size_t i = 0; ranges && i < ranges->count; i++)
		object->bytes += ranges->items[i].end - ranges->items[i].start;
	if (!object->bytes)
		return;
	/* Samples outside all sections there are none of in a file that makes sense. */
	if (ranges->items[0].start < object->start)
		object->start = ranges->items[0].start;
	if (ranges->items[ranges->count - 1].end > object->end)
		object->end = ranges->items[ranges->count - 1].end;
}

static int compare_falling(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a > b ? -1 : a < b;
}

/* Samples of each page of SIZE bytes that has some, rising.  PAGES has room for all hits. */
static size_t sum_pages(const struct hist_object *object, uint64_t size, uint64_t *pages)
{
	size_t count = 0;

	for (size_t i = 0; i < object->hit_count; i++) {
		const struct hist_hit *hit = &object->hits[i];

		if (!i || hit[-1].address / size != hit->address / size)
			pages[count++] = 0;
		pages[count - 1] += hit->ticks;
	}
	return count;
}

static size_t pages_between(const struct hist_object *object, uint64_t size)
{
	return (object->end - 1) / size - object->start / size + 1;
}

static int count_pages(struct hist_object *object)
{
	uint64_t *pages = calloc(object->hit_count + 1, sizeof(*pages)), ticks = 0;

	if (!pages)
		return -ENOMEM;
	object->pages = pages_between(object, HIST_PAGE);
	object->huge_pages = pages_between(object, HIST_HUGE_PAGE);
	object->huge_hit = sum_pages(object, HIST_HUGE_PAGE, pages);
	object->pages_hit = sum_pages(object, HIST_PAGE, pages);
	ARRAY_SORT(pages, object->pages_hit, compare_falling);
	while (object->pages_hot < object->pages_hit && ticks * 10 < object->ticks * 9)
		ticks += pages[object->pages_hot++];
	free(pages);
	return 0;
}

static int fill_object(struct build *build, struct hist_object *object, struct code **ret_code)
{
	struct opened opened;
	int ret = opened_open(build->profile, object->mapping, &opened);

	if (ret)
		return ret;
	*ret_code = opened.code;
	memcpy(object->why_no_code, opened.why, sizeof(object->why_no_code));
	ret = opened_shifts(build->profile, build->objects, object->mapping, build->shifts);
	if (ret)
		return ret;
	settle_hits(build, object);
	measure_text(object, opened.code);
	ret = count_pages(object);
	return ret ? ret : hist_rows_fill(build->hist, object, opened.code);
}

static int compare_objects(const void *left, const void *right)
{
	const struct hist_object *a = left, *b = right;
	int order;

	if (a->ticks != b->ticks)
		return a->ticks > b->ticks ? -1 : 1;
	order = strcmp(a->path, b->path);
	return order ? order : a->mapping < b->mapping ? -1 : a->mapping > b->mapping;
}

/* Those without a hit are behind the others and none of them is shown. */
static void sort_objects(struct hist *hist)
{
	ARRAY_SORT(hist->objects, hist->object_count, compare_objects);
	while (hist->object_count && !hist->objects[hist->object_count - 1].hit_count)
		hist->object_count--;
}

/* The least samples of a row to be shown: *RET_SPARE rows with just so many are shown, those with
 * more all are. */
static int find_least(const struct hist *hist, uint64_t *ret_least, size_t *ret_spare)
{
	uint64_t *ticks;
	size_t count = 0, limit = hist->options.rows, spare;

	*ret_least = 0;
	*ret_spare = SIZE_MAX;
	for (size_t i = 0; i < hist->object_count; i++)
		count += hist->objects[i].row_count;
	if (!limit || count <= limit)
		return 0;
	ticks = calloc(count, sizeof(*ticks));
	if (!ticks)
		return -ENOMEM;
	count = 0;
	for (size_t i = 0; i < hist->object_count; i++)
		for (size_t k = 0; k < hist->objects[i].row_count; k++)
			ticks[count++] = hist->objects[i].rows[k].ticks;
	ARRAY_SORT(ticks, count, compare_falling);
	for (spare = 0; spare < limit && ticks[limit - 1 - spare] == ticks[limit - 1];)
		spare++;
	*ret_least = ticks[limit - 1];
	*ret_spare = spare;
	free(ticks);
	return 0;
}

static void sum_up(struct hist *hist)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < hist->object_count; i++) {
		for (size_t k = 0; k < hist->objects[i].row_count; k++) {
			struct hist_row *row = &hist->objects[i].rows[k];

			sum += row->ticks;
			row->sum = sum;
			if (!row->is_fold && row->ticks > hist->peak)
				hist->peak = row->ticks;
		}
	}
}

static int fold(struct build *build)
{
	struct hist *hist = build->hist;
	uint64_t least;
	size_t spare;
	int ret = find_least(hist, &least, &spare);

	for (size_t i = 0; i < hist->object_count && !ret; i++)
		ret = hist_rows_fold(hist, &hist->objects[i], build->codes[i], least, &spare);
	sum_up(hist);
	return ret;
}

static int fill(struct build *build, struct error *reterr)
{
	struct hist *hist = build->hist;
	const struct profile *profile = build->profile;
	int ret = number_objects(build);

	if (!ret && !hist->object_count && hist->options.object)
		return error_set(reterr, -ENOENT,
				 "--object '%s': not in the profile: see 'profil report --by "
				 "object'",
				 hist->options.object);
	for (size_t i = 0; i < profile->cell_count && !ret; i++)
		ret = add_hit(build, &profile->cells[i]);
	if (ret)
		return ret;
	sort_objects(hist);
	build->codes = calloc(hist->object_count + 1, sizeof(struct code *));
	build->shifts = calloc(profile->mapping_count + 1, sizeof(*build->shifts));
	hist->texts = strings_new();
	if (!build->codes || !build->shifts || !hist->texts)
		return -ENOMEM;
	for (size_t i = 0; i < hist->object_count && !ret; i++)
		ret = fill_object(build, &hist->objects[i], &build->codes[i]);
	return ret ? ret : fold(build);
}

int hist_build(const struct profile *profile, const struct hist_options *options,
	       struct hist **ret_hist, struct error *reterr)
{
	struct build build = {.profile = profile};
	int ret = -ENOMEM;

	build.hist = calloc(1, sizeof(*build.hist));
	if (build.hist) {
		build.hist->profile = profile;
		build.hist->options = *options;
		ret = fill(&build, reterr);
	}
	for (size_t i = 0; build.codes && i < build.hist->object_count; i++)
		code_close(build.codes[i]);
	free(build.codes);
	free(build.objects);
	free(build.numbers);
	free(build.shifts);
	if (ret) {
		hist_free(build.hist);
		return ret;
	}
	*ret_hist = build.hist;
	return 0;
}

struct hist *hist_free(struct hist *hist)
{
	if (!hist)
		return NULL;
	for (size_t i = 0; i < hist->object_count; i++) {
		free(hist->objects[i].hits);
		free(hist->objects[i].rows);
	}
	strings_free(hist->texts);
	free(hist->objects);
	free(hist);
	return NULL;
}

int hist_strip(const struct hist_object *object, size_t most, struct hist_strip *ret_strip)
{
	uint64_t size = object->end - object->start, peak = 0;
	size_t count = size < most ? (size_t)size : most;
	/* In floating point: a text of all 64 bits times COUNT is too much for an integer. */
	double scale = (double)count / (double)size;
	uint64_t *ticks = calloc(count, sizeof(*ticks));

	if (!ticks)
		return -ENOMEM;
	for (size_t i = 0; i < object->hit_count; i++) {
		size_t part = (size_t)((double)(object->hits[i].address - object->start) * scale);

		part = part < count ? part : count - 1;
		ticks[part] += object->hits[i].ticks;
		peak = ticks[part] > peak ? ticks[part] : peak;
	}
	*ret_strip = (struct hist_strip){count, ticks, peak, (size + count - 1) / count};
	return 0;
}
