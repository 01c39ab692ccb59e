// SPDX-License-Identifier: BSD-2-Clause
#include "dos/dosmap.h"

#include "base/array.h"
#include "dos/dosmap_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PSP_SIZE 0x100

/* No program of DOS's 1 MiB has a map as long as that. */
#define MAP_MAX (4u << 20)
#define CHUNK ((size_t)64 << 10)

struct dosmap *dosmap_free(struct dosmap *map)
{
	if (!map)
		return NULL;
	for (size_t i = 0; i < map->segment_count; i++)
		free(map->segments[i].name);
	for (size_t i = 0; i < map->symbol_count; i++)
		free((char *)map->symbols[i].name);
	for (size_t i = 0; i < map->file_count; i++)
		free(map->files[i]);
	free(map->segments);
	free(map->symbols);
	free(map->lines);
	free(map->files);
	free(map);
	return NULL;
}

static int compare_symbols(const void *left, const void *right)
{
	const struct dosmap_symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	/* A symbol comes before its segment's name, which has a limit already. */
	if ((a->limit != 0) != (b->limit != 0))
		return a->limit ? 1 : -1;
	return strcmp(a->name, b->name);
}

static int compare_lines(const void *left, const void *right)
{
	const struct dosmap_line *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* What no symbol begins is called by its segment: each segment's name goes among the symbols, where
 * the next symbol ends it. */
static int add_segment_names(struct dosmap *map)
{
	size_t count = map->symbol_count + map->segment_count;

	if (ARRAY_RESERVE(map->symbols, map->symbol_capacity, count))
		return -ENOMEM;
	for (size_t i = 0; i < map->segment_count; i++) {
		struct dosmap_part *segment = &map->segments[i];

		map->symbols[map->symbol_count++] = (struct dosmap_symbol){
			.start = segment->start,
			.limit = segment->limit,
			.name = segment->name,
		};
		segment->name = NULL;
	}
	return 0;
}

/* Of those that begin at one address the first is kept. */
static void drop_doubles(struct dosmap *map)
{
	size_t count = 0;

	for (size_t i = 0; i < map->symbol_count; i++) {
		if (count && map->symbols[count - 1].start == map->symbols[i].start) {
			free((char *)map->symbols[i].name);
			continue;
		}
		map->symbols[count++] = map->symbols[i];
	}
	map->symbol_count = count;
}

/* Where the segment that holds ADDRESS ends; UINT32_MAX where the map has no segments there. */
static uint32_t segment_end(const struct dosmap *map, uint32_t address)
{
	uint32_t end = UINT32_MAX;

	for (size_t i = 0; i < map->segment_count; i++) {
		const struct dosmap_part *segment = &map->segments[i];

		if (segment->start <= address && address < segment->limit && segment->limit < end)
			end = segment->limit;
	}
	return end;
}

/* A symbol ends where the next begins or its segment ends.  One that is the last and in no segment
 * is only known by where it begins. */
static void set_limits(struct dosmap *map)
{
	for (size_t i = 0; i < map->symbol_count; i++) {
		struct dosmap_symbol *symbol = &map->symbols[i];
		uint32_t end = segment_end(map, symbol->start);

		if (i + 1 < map->symbol_count && map->symbols[i + 1].start < end)
			end = map->symbols[i + 1].start;
		symbol->limit = end == UINT32_MAX ? symbol->start + 1 : end;
	}
	for (size_t i = 0; i < map->line_count; i++)
		map->lines[i].limit =
			i + 1 < map->line_count ? map->lines[i + 1].start : UINT32_MAX;
}

static int settle(struct dosmap *map)
{
	if (add_segment_names(map))
		return -ENOMEM;
	ARRAY_SORT(map->symbols, map->symbol_count, compare_symbols);
	ARRAY_SORT(map->lines, map->line_count, compare_lines);
	drop_doubles(map);
	set_limits(map);
	return 0;
}

static int read_text(FILE *file, char **text, size_t *size)
{
	size_t capacity = 0, got;

	do {
		if (*size > MAP_MAX)
			return -EFBIG;
		if (ARRAY_RESERVE(*text, capacity, *size + CHUNK + 1))
			return -ENOMEM;
		got = fread(*text + *size, 1, CHUNK, file);
		*size += got;
	} while (got);
	return 0;
}

static int take_lines(struct dosmap *map, char *text, size_t size)
{
	struct dosmap_reader reader = {.map = map};
	char *last = text + size, *end;
	int ret = 0;

	for (char *line = text; !ret && line < last; line = end + 1) {
		end = memchr(line, '\n', (size_t)(last - line));
		end = end ? end : last;
		*end = '\0';
		line[strcspn(line, "\r\x1a")] = '\0';
		ret = dosmap_take_line(&reader, line);
	}
	free(reader.section);
	return ret ? ret : settle(map);
}

static int read_lines(FILE *file, struct dosmap *map)
{
	char *text = NULL;
	size_t size = 0;
	int ret = read_text(file, &text, &size);

	ret = ret ? ret : take_lines(map, text, size);
	free(text);
	return ret;
}

int dosmap_read(const char *path, struct dosmap **ret_map, struct error *reterr)
{
	struct dosmap *map = calloc(1, sizeof(*map));
	FILE *file = fopen(path, "re");
	int ret = file ? -ENOMEM : -errno;

	if (map && file)
		ret = read_lines(file, map);
	if (file && ferror(file))
		ret = -EIO;
	if (file)
		(void)fclose(file);
	if (!ret && map->symbol_count) {
		*ret_map = map;
		return 0;
	}
	dosmap_free(map);
	if (!ret)
		return error_set(reterr, -EBADMSG,
				 "%s: no map of a linker that is known: name a MAP file of LINK, "
				 "TLINK, wlink, ld86 -M or ld -Map",
				 path);
	return error_set(reterr, ret, "%s: %s: name a MAP file that can be read", path,
			 strerror(-ret));
}

bool dosmap_is_com(const struct dosmap *map)
{
	return map->has_entry ? map->entry == PSP_SIZE : map->symbols[0].start == PSP_SIZE;
}

static uint32_t overlap(uint32_t start, uint32_t limit, uint32_t other_start, uint32_t other_limit)
{
	uint32_t low = start > other_start ? start : other_start;
	uint32_t high = limit < other_limit ? limit : other_limit;

	return high > low ? high - low : 0;
}

/* The last symbol that begins at ADDRESS or below, or the first of all. */
static size_t symbol_before(const struct dosmap *map, uint32_t address)
{
	size_t behind = ARRAY_FIRST_NOT(i, map->symbol_count, map->symbols[i].start <= address);

	return behind ? behind - 1 : 0;
}

const struct dosmap_symbol *dosmap_symbol_in(const struct dosmap *map, uint32_t start,
					     uint32_t limit)
{
	const struct dosmap_symbol *best = NULL;
	uint32_t most = 0;

	for (size_t i = symbol_before(map, start); i < map->symbol_count; i++) {
		const struct dosmap_symbol *symbol = &map->symbols[i];
		uint32_t part = overlap(start, limit, symbol->start, symbol->limit);

		if (symbol->start >= limit)
			break;
		if (part > most) {
			best = symbol;
			most = part;
		}
	}
	return best;
}

/* The last line that begins at ADDRESS or below, or the first of all; one ends where the next
 * begins. */
static size_t line_before(const struct dosmap *map, uint32_t address)
{
	size_t behind = ARRAY_FIRST_NOT(i, map->line_count, map->lines[i].start <= address);

	return behind ? behind - 1 : 0;
}

const struct dosmap_line *dosmap_line_in(const struct dosmap *map,
					 const struct dosmap_symbol *symbol, uint32_t start,
					 uint32_t limit)
{
	const struct dosmap_line *best = NULL;
	uint32_t most = 0;

	if (symbol->start > start)
		start = symbol->start;
	if (symbol->limit < limit)
		limit = symbol->limit;
	for (size_t i = line_before(map, start); i < map->line_count; i++) {
		const struct dosmap_line *line = &map->lines[i];
		uint32_t part = overlap(start, limit, line->start, line->limit);

		if (line->start >= limit)
			break;
		if (line->start < symbol->start)
			continue;
		if (part > most) {
			best = line;
			most = part;
		}
	}
	return best;
}
