// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/annotate_private.h"

#include "base/array.h"
#include "base/keyset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct lines {
	struct annotation *annotation;
	struct keyset files; /* by path, in annotation->texts */
	struct keyset keys;  /* by file and number */
};

static int add_file(struct lines *lines, const char *path, uint32_t *ret_file)
{
	struct annotation *annotation = lines->annotation;
	uint32_t id;
	int ret = strings_add(annotation->texts, path, strlen(path), &id);
	struct key key = {{id}};

	if (!ret)
		ret = keyset_add(&lines->files, &key, ret_file);
	if (ret <= 0)
		return ret;
	ret = ARRAY_RESERVE(annotation->files, annotation->file_capacity,
			    annotation->file_count + 1);
	if (!ret)
		annotation->files[annotation->file_count++] =
			(struct annotated_file){.path = strings_get(annotation->texts, id)};
	return ret;
}

static int add_line(struct lines *lines, const char *path, uint32_t number, uint32_t *ret_line)
{
	struct annotation *annotation = lines->annotation;
	struct key key = {{0, *path ? number : 0}};
	uint32_t file;
	int ret = add_file(lines, path, &file);

	key.words[0] = file;
	if (!ret)
		ret = keyset_add(&lines->keys, &key, ret_line);
	if (ret <= 0)
		return ret;
	ret = ARRAY_RESERVE(annotation->lines, annotation->line_capacity,
			    annotation->line_count + 1);
	if (!ret)
		annotation->lines[annotation->line_count++] = (struct annotated_line){
			.file = file, .number = (uint32_t)key.words[1], .first_row = ANNOTATE_NONE};
	return ret;
}

/* Where the function is declared is a line of its own, so that a listing begins with its head. */
static int add_declaration(struct lines *lines, const char *path, uint32_t number)
{
	uint32_t line;

	return number && *path ? add_line(lines, path, number, &line) : 0;
}

static int keep_inlined(struct lines *lines, const char *name, struct annotated_row *row)
{
	uint32_t id;
	int ret = strings_add(lines->annotation->texts, name, strlen(name), &id);

	if (!ret)
		row->inlined = strings_get(lines->annotation->texts, id);
	return ret;
}

static int take_place(void *context, size_t index, const struct symbol_place *place)
{
	struct lines *lines = context;
	const struct symbol_frame *inner = &place->frames[0];
	const struct symbol_frame *outer = &place->frames[place->frame_count - 1];
	int ret = 0;

	if (!index)
		ret = add_declaration(lines, outer->file, outer->start_line);
	if (!ret && place->frame_count > 1)
		ret = keep_inlined(lines, inner->function, &lines->annotation->rows[index]);
	return ret ? ret
		   : add_line(lines, inner->file, inner->line,
			      &lines->annotation->rows[index].line);
}

static int ask_symbols(struct lines *lines, const struct profile_mapping *mapping,
		       struct symbols *symbols)
{
	struct annotation *annotation = lines->annotation;
	const struct symbol_object object = {
		.space = SYMBOL_FILE,
		.path = profile_text(annotation->profile, mapping->path),
		.build_id = profile_text(annotation->profile, mapping->build_id),
	};
	uint64_t *addresses = calloc(annotation->row_count + 1, sizeof(*addresses));
	int ret;

	if (!addresses)
		return -ENOMEM;
	for (size_t i = 0; i < annotation->row_count; i++)
		addresses[i] = annotation->rows[i].instruction.address;
	ret = symbols_name(symbols, &object, addresses, annotation->row_count, take_place, lines);
	free(addresses);
	return ret;
}

/* What the profile itself has of one row. */
static int ask_location(struct lines *lines, uint32_t row, uint32_t number)
{
	const struct profile *profile = lines->annotation->profile;
	uint32_t *line = &lines->annotation->rows[row].line;
	const struct profile_location *location;
	const struct profile_line *inner, *outer;
	const struct profile_function *function;
	int ret;

	location = number == ANNOTATE_NONE ? NULL : &profile->locations[number];
	if (!location || !location->line_count)
		return add_line(lines, "", 0, line);
	inner = &profile->lines[location->first_line];
	outer = &profile->lines[location->first_line + location->line_count - 1];
	function = &profile->functions[outer->function];
	ret = add_declaration(lines, profile_text(profile, function->file), function->start_line);
	function = &profile->functions[inner->function];
	if (inner != outer)
		lines->annotation->rows[row].inlined = profile_text(profile, function->name);
	return ret ? ret
		   : add_line(lines, profile_text(profile, function->file), inner->line, line);
}

static int ask_profile(struct lines *lines, const uint32_t *locations)
{
	int ret = 0;

	for (uint32_t i = 0; i < lines->annotation->row_count && !ret; i++)
		ret = ask_location(lines, i, locations[i]);
	return ret;
}

static void charge(struct annotation *annotation)
{
	for (uint32_t i = 0; i < annotation->row_count; i++) {
		const struct annotated_row *row = &annotation->rows[i];
		struct annotated_line *line = &annotation->lines[row->line];

		line->ticks += row->ticks;
		annotation->files[line->file].ticks += row->ticks;
		if (line->first_row == ANNOTATE_NONE) {
			line->first_row = i;
			line->inlined = row->inlined;
		}
		line->last_row = i;
	}
}

/* ---- in order ---- */

static int compare_files(const void *left, const void *right, void *context)
{
	const struct annotated_file *files = context;
	const struct annotated_file *a = &files[*(const uint32_t *)left];
	const struct annotated_file *b = &files[*(const uint32_t *)right];

	if (a->ticks != b->ticks)
		return a->ticks > b->ticks ? -1 : 1;
	return strcmp(a->path, b->path);
}

static int compare_lines(const void *left, const void *right, void *context)
{
	const struct annotated_line *lines = context;
	const struct annotated_line *a = &lines[*(const uint32_t *)left];
	const struct annotated_line *b = &lines[*(const uint32_t *)right];

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/* The order of COUNT ITEMS by COMPARE: for each place the item's old number, behind them for each
 * item its place.  Heap, or NULL when memory is short. */
static uint32_t *order_of(void *items, size_t count,
			  int (*compare)(const void *, const void *, void *))
{
	uint32_t *numbers = calloc(2 * count + 1, sizeof(*numbers));

	if (!numbers)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		numbers[i] = i;
	ARRAY_SORT_BY(numbers, count, compare, items);
	for (uint32_t i = 0; i < count; i++)
		numbers[count + numbers[i]] = i;
	return numbers;
}

static int sort_files(struct annotation *annotation)
{
	size_t count = annotation->file_count;
	uint32_t *order = order_of(annotation->files, count, compare_files);
	struct annotated_file *sorted = calloc(count + 1, sizeof(*sorted));

	for (size_t i = 0; i < count && order && sorted; i++)
		sorted[i] = annotation->files[order[i]];
	for (size_t i = 0; i < annotation->line_count && order; i++)
		annotation->lines[i].file = order[count + annotation->lines[i].file];
	free(order);
	if (!order || !sorted) {
		free(sorted);
		return -ENOMEM;
	}
	free(annotation->files);
	annotation->files = sorted;
	return 0;
}

static int sort_lines(struct annotation *annotation)
{
	size_t count = annotation->line_count;
	uint32_t *order = order_of(annotation->lines, count, compare_lines);
	struct annotated_line *sorted = calloc(count + 1, sizeof(*sorted));

	for (size_t i = 0; i < count && order && sorted; i++)
		sorted[i] = annotation->lines[order[i]];
	for (size_t i = 0; i < annotation->row_count && order; i++)
		annotation->rows[i].line = order[count + annotation->rows[i].line];
	free(order);
	if (!order || !sorted) {
		free(sorted);
		return -ENOMEM;
	}
	free(annotation->lines);
	annotation->lines = sorted;
	return 0;
}

/* ---- the sources ---- */

static int64_t mtime_of(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return INT64_MAX;
	return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

static int read_sources(struct annotation *annotation)
{
	int64_t built = mtime_of(annotation->path);
	int ret = 0;

	for (size_t i = 0; i < annotation->file_count && !ret; i++) {
		struct annotated_file *file = &annotation->files[i];

		if (!*file->path)
			continue;
		ret = source_file_read(file->path, &file->source);
		file->is_newer = file->source.state == SOURCE_READ && file->source.mtime_ns > built;
	}
	return ret;
}

int annotate_lines(struct annotation *annotation, uint32_t mapping, const uint32_t *locations,
		   struct symbols *symbols)
{
	struct lines lines = {.annotation = annotation};
	int ret;

	if (*annotation->why_no_code)
		ret = ask_profile(&lines, locations);
	else
		ret = ask_symbols(&lines, &annotation->profile->mappings[mapping], symbols);
	keyset_done(&lines.files);
	keyset_done(&lines.keys);
	if (ret)
		return ret;
	charge(annotation);
	ret = sort_files(annotation);
	if (!ret)
		ret = sort_lines(annotation);
	return ret ? ret : read_sources(annotation);
}
