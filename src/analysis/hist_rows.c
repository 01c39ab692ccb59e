// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/hist_rows.h"

#include "analysis/names.h"
#include "base/array.h"
#include "base/keyset.h"
#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What lies between two functions and is no longer than this is but padding. */
#define PADDING 64

struct bucket {
	struct key key;
	struct hist_row row;
};

/* By the names that the profile has. */
static struct bucket bucket_by_name(const struct hist *hist, const struct hist_hit *hit)
{
	const struct profile *profile = hist->profile;
	const struct profile_location *location = &profile->locations[hit->location];
	struct bucket bucket = {.row = {.start = hit->address, .end = hit->address, .name = ""}};
	const struct profile_function *function = profile_function_of(profile, location);

	bucket.key = (struct key){{0, 0, hit->address}};
	if (!function)
		return bucket;
	bucket.row.name = profile_text(profile, function->name);
	bucket.key = (struct key){{1, function->name, 0}};
	return bucket;
}

/* Returns 0 or -ENOMEM. */
static int bucket_by_line(struct hist *hist, const struct hist_hit *hit, struct bucket *ret_bucket)
{
	const struct profile *profile = hist->profile;
	const struct profile_location *location = &profile->locations[hit->location];
	const struct profile_function *function = profile_function_of(profile, location);
	const struct profile_function *inlined = profile_inlined_at(profile, location);
	const struct profile_function *inner = inlined ? inlined : function;
	const char *path;
	uint32_t number, id;
	char text[512];
	int length, ret;

	*ret_bucket = bucket_by_name(hist, hit);
	if (!function)
		return 0;
	number = profile->lines[location->first_line].line;
	path = profile_text(profile, inner->file);
	if (!*path || !number)
		return 0;
	ret_bucket->key =
		(struct key){{2 | (uint64_t)function->name << 32, inlined ? inlined->name : 0,
			      (uint64_t)inner->file << 32 | number}};
	length = snprintf(text, sizeof(text), "%.140s:%u %.160s%s%.160s%s", path_base(path), number,
			  ret_bucket->row.name, inlined ? " (" : "",
			  inlined ? profile_text(profile, inlined->name) : "",
			  inlined ? " inlined)" : "");
	ret = strings_add(hist->texts, text, (size_t)length, &id);
	ret_bucket->row.name = strings_get(hist->texts, id);
	return ret;
}

static int keep_name(struct hist *hist, const char *name, const char **ret_name)
{
	uint32_t id;
	int ret = strings_add(hist->texts, name, strlen(name), &id);

	*ret_name = strings_get(hist->texts, id);
	return ret;
}

static int bucket_by_function(struct hist *hist, const struct hist_hit *hit, struct code *code,
			      struct bucket *ret_bucket)
{
	struct code_function function;
	int found = code ? code_function_at(code, hit->address, &function) : 0;

	*ret_bucket = bucket_by_name(hist, hit);
	if (found <= 0)
		return found;
	ret_bucket->row.start = function.start;
	ret_bucket->row.end = function.end;
	ret_bucket->key = (struct key){{3, function.start, 0}};
	return keep_name(hist, function.name, &ret_bucket->row.name);
}

static size_t starts_below(const struct code *code, uint64_t address)
{
	size_t count;
	const uint64_t *starts = code_starts(code, &count);

	return ARRAY_FIRST_NOT(i, count, starts[i] < address);
}

static size_t count_starts(const struct code *code, uint64_t start, uint64_t end)
{
	return code && start < end ? starts_below(code, end) - starts_below(code, start) : 0;
}

static int bucket_by_bytes(struct hist *hist, const struct hist_hit *hit, struct bucket *ret_bucket)
{
	uint64_t start = hit->address - hit->address % hist->options.bytes;

	*ret_bucket = bucket_by_name(hist, hit);
	ret_bucket->key = (struct key){{4, start, 0}};
	ret_bucket->row.start = start;
	ret_bucket->row.end =
		start > UINT64_MAX - hist->options.bytes ? UINT64_MAX : start + hist->options.bytes;
	return 0;
}

static int choose_bucket(struct hist *hist, const struct hist_hit *hit, struct code *code,
			 struct bucket *ret_bucket)
{
	switch (hist->options.by) {
	case HIST_BY_LINE:
		return bucket_by_line(hist, hit, ret_bucket);
	case HIST_BY_BYTES:
		return bucket_by_bytes(hist, hit, ret_bucket);
	default:
		return bucket_by_function(hist, hit, code, ret_bucket);
	}
}

static int compare_rows(const void *left, const void *right)
{
	const struct hist_row *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int add_row(struct hist_object *object, const struct hist_row *row)
{
	int ret = ARRAY_RESERVE(object->rows, object->row_capacity, object->row_count + 1);

	if (!ret)
		object->rows[object->row_count++] = *row;
	return ret;
}

static void charge(struct hist_row *row, const struct hist_hit *hit)
{
	row->ticks += hit->ticks;
	if (hit->ticks > row->peak) {
		row->peak = hit->ticks;
		row->hottest = hit->address;
		row->location = hit->location;
	}
}

/* Hits come in rising order, so that the next one mostly lies in the bucket of the last one: that
 * bucket is not asked for again. */
static bool is_in_last(const struct hist *hist, const struct hist_row *last,
		       const struct hist_hit *hit)
{
	return last && hist->options.by != HIST_BY_LINE && hit->address >= last->start &&
	       hit->address < last->end;
}

/* Call ROW after its hottest address where it has bytes of several functions, or no name yet. */
static int name_row(struct hist *hist, struct hist_row *row)
{
	const struct profile *profile = hist->profile;
	const struct profile_location *location = &profile->locations[row->location];
	const struct profile_function *function = profile_function_of(profile, location);
	char *bare;
	int ret;

	if (function) {
		if (hist->options.by == HIST_BY_BYTES)
			row->name = profile_text(profile, function->name);
		return 0;
	}
	if (*row->name && hist->options.by != HIST_BY_BYTES)
		return 0;
	bare = names_bare(profile, location);
	ret = bare ? keep_name(hist, bare, &row->name) : -ENOMEM;
	free(bare);
	return ret;
}

int hist_rows_fill(struct hist *hist, struct hist_object *object, struct code *code)
{
	struct keyset keys = {0};
	struct hist_row *last = NULL;
	int ret = 0;

	for (size_t i = 0; i < object->hit_count && ret >= 0; i++) {
		const struct hist_hit *hit = &object->hits[i];
		struct bucket bucket;
		uint32_t number;

		if (!is_in_last(hist, last, hit)) {
			ret = choose_bucket(hist, hit, code, &bucket);
			if (ret >= 0)
				ret = keyset_add(&keys, &bucket.key, &number);
			if (ret > 0)
				ret = add_row(object, &bucket.row);
			if (ret < 0)
				break;
			last = &object->rows[number];
		}
		charge(last, hit);
	}
	keyset_done(&keys);
	for (size_t i = 0; i < object->row_count && ret >= 0; i++)
		ret = name_row(hist, &object->rows[i]);
	ARRAY_SORT(object->rows, object->row_count, compare_rows);
	return ret < 0 ? ret : 0;
}

/* ---- folding ---- */

/* Where the file tells which function that is, how far into it the bucket begins is known, too. */
static int mark_bytes(struct hist *hist, struct code *code, struct hist_row *row)
{
	struct code_function function;
	int found = code_function_at(code, row->hottest, &function);

	if (found <= 0)
		return found;
	row->into = row->start > function.start ? row->start - function.start : 0;
	return keep_name(hist, function.name, &row->name);
}

struct folding {
	struct hist *hist;
	struct code *code;
	struct hist_row *rows;
	size_t count, capacity;
	struct hist_row run; /* what is not shown since the last row that is */
};

static int keep(struct folding *folding, const struct hist_row *row)
{
	int ret = ARRAY_RESERVE(folding->rows, folding->capacity, folding->count + 1);

	if (!ret)
		folding->rows[folding->count++] = *row;
	return ret;
}

/* End the run where the next row begins, at END. */
static int end_run(struct folding *folding, uint64_t end)
{
	struct hist_row *run = &folding->run;

	run->end = end > run->start ? end : run->start;
	run->begins = count_starts(folding->code, run->start, run->end);
	if (!run->folded && !run->begins && run->end - run->start < PADDING)
		return 0;
	return keep(folding, run);
}

static void begin_run(struct folding *folding, uint64_t start)
{
	folding->run = (struct hist_row){.start = start, .end = start, .name = "", .is_fold = true};
}

static int fold_row(struct folding *folding, struct hist_row *row, bool is_shown)
{
	int ret;

	if (!is_shown) {
		folding->run.ticks += row->ticks;
		folding->run.folded++;
		return 0;
	}
	ret = end_run(folding, row->start);
	row->begins = count_starts(folding->code, row->start, row->end);
	if (!ret && folding->code && folding->hist->options.by == HIST_BY_BYTES)
		ret = mark_bytes(folding->hist, folding->code, row);
	if (!ret)
		ret = keep(folding, row);
	begin_run(folding, row->end);
	return ret;
}

int hist_rows_fold(struct hist *hist, struct hist_object *object, struct code *code, uint64_t least,
		   size_t *spare)
{
	struct folding folding = {.hist = hist, .code = code};
	int ret = 0;

	begin_run(&folding, object->start);
	for (size_t i = 0; i < object->row_count && !ret; i++) {
		struct hist_row *row = &object->rows[i];
		bool is_shown = row->ticks > least;

		if (row->ticks == least && *spare) {
			is_shown = true;
			(*spare)--;
		}
		ret = fold_row(&folding, row, is_shown);
	}
	if (!ret)
		ret = end_run(&folding, object->end);
	if (ret) {
		free(folding.rows);
		return ret;
	}
	free(object->rows);
	object->rows = folding.rows;
	object->row_count = folding.count;
	object->row_capacity = folding.capacity;
	return 0;
}
