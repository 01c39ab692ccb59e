// SPDX-License-Identifier: BSD-2-Clause
#include "dos/dosmap_rows.h"

#include "base/array.h"
#include "base/path.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which of a map's tables a line belongs to is said by the heading above it. */

#define MEMORY_END 0x110000u /* what segment and offset reach */
#define WORD 256	     /* of a name; "%255s" below */

enum table {
	TABLE_NONE, /* also ld86, which has no headings */
	TABLE_SEGMENTS,
	TABLE_PUBLICS,
	TABLE_LINES,
	TABLE_WATCOM_SEGMENTS,
	TABLE_WATCOM_SYMBOLS,
	TABLE_GNU,
	TABLE_OTHER,
};

/* What is no address of an 8086 becomes one that nothing is added for. */
static uint32_t linear(unsigned segment, unsigned offset)
{
	return segment > 0xffff || offset > 0xffff ? MEMORY_END : segment * 16 + offset;
}

static int add_segment(struct dosmap *map, const char *name, uint32_t start, uint32_t limit)
{
	struct dosmap_part part = {.start = start, .limit = limit};

	if (limit <= start || limit > MEMORY_END)
		return 0;
	if (ARRAY_RESERVE(map->segments, map->segment_capacity, map->segment_count + 1))
		return -ENOMEM;
	part.name = strdup(name);
	if (!part.name)
		return -ENOMEM;
	map->segments[map->segment_count++] = part;
	return 0;
}

static int add_symbol(struct dosmap *map, const char *name, uint32_t start)
{
	struct dosmap_symbol symbol = {.start = start};

	if (start >= MEMORY_END)
		return 0;
	if (ARRAY_RESERVE(map->symbols, map->symbol_capacity, map->symbol_count + 1))
		return -ENOMEM;
	symbol.name = strdup(name);
	if (!symbol.name)
		return -ENOMEM;
	map->symbols[map->symbol_count++] = symbol;
	return 0;
}

static int add_line(struct dosmap_reader *reader, uint32_t number, uint32_t start)
{
	struct dosmap *map = reader->map;

	if (start >= MEMORY_END || !number)
		return 0;
	if (ARRAY_RESERVE(map->lines, map->line_capacity, map->line_count + 1))
		return -ENOMEM;
	map->lines[map->line_count++] = (struct dosmap_line){
		.start = start,
		.number = number,
		.file = reader->line_file,
	};
	return 0;
}

/* "Line numbers for hello.obj(hello.c) segment _TEXT": the source is in the parentheses. */
static int open_lines(struct dosmap_reader *reader, const char *rest)
{
	struct dosmap *map = reader->map;
	const char *start = strchr(rest, '(');
	size_t length;

	start = start ? start + 1 : rest;
	length = strcspn(start, ") \t");
	if (ARRAY_RESERVE(map->files, map->file_capacity, map->file_count + 1))
		return -ENOMEM;
	map->files[map->file_count] = strndup(start, length);
	if (!map->files[map->file_count])
		return -ENOMEM;
	reader->line_file = map->files[map->file_count++];
	reader->table = TABLE_LINES;
	return 0;
}

static bool heads_watcom_segments(const char *line)
{
	return !strncmp(line, "Segment", 7) && strstr(line, "Class") && strstr(line, "Group") &&
	       strstr(line, "Address");
}

/* Returns the table that LINE is the heading of, TABLE_NONE when it is none. */
static enum table heading(const char *line)
{
	static const struct {
		const char *text;
		enum table table;
	} headings[] = {
		{" Start  Stop", TABLE_SEGMENTS},
		{"Publics by ", TABLE_PUBLICS},
		{"Linker script and memory map", TABLE_GNU},
		{"Detailed map of segments", TABLE_OTHER},
		{"Origin   Group", TABLE_OTHER},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(headings); i++)
		if (strstr(line, headings[i].text))
			return headings[i].table;
	if (heads_watcom_segments(line))
		return TABLE_WATCOM_SEGMENTS;
	if (!strncmp(line, "Address", 7) && strstr(line, "Symbol"))
		return TABLE_WATCOM_SYMBOLS;
	return TABLE_NONE;
}

/* " 00000H 0002FH 00030H MAINCODE   CODE": the second is the last byte. */
static int take_segment(struct dosmap_reader *reader, const char *line)
{
	char name[WORD];
	unsigned start, stop, length;

	if (sscanf(line, " %xH %xH %xH %255s", &start, &stop, &length, name) != 4 || !length)
		return 0;
	return add_segment(reader->map, name, start, stop + 1);
}

/* " 0000:0010       _main", with a word in between for what it is: a symbol that is no address
 * (Abs), one that nothing refers to (idle). */
static int take_public(struct dosmap_reader *reader, const char *line)
{
	char first[WORD], second[WORD];
	unsigned segment, offset;
	int words = sscanf(line, " %x:%x %255s %255s", &segment, &offset, first, second);

	if (words < 3 || (words == 4 && !strcmp(first, "Abs")))
		return 0;
	return add_symbol(reader->map, words == 4 ? second : first, linear(segment, offset));
}

/* "    10 0000:0010H    12 0000:0017H"; newer linkers leave out the H. */
static int take_lines(struct dosmap_reader *reader, const char *line)
{
	unsigned number, segment, offset;
	int length, ret = 0;

	while (!ret && sscanf(line, " %u %x:%x%n", &number, &segment, &offset, &length) == 3) {
		ret = add_line(reader, number, linear(segment, offset));
		line += length;
		line += *line == 'H';
	}
	return ret;
}

/* "_TEXT     CODE    AUTO    0000:0000    00001a10". */
static int take_watcom_segment(struct dosmap_reader *reader, const char *line)
{
	char name[WORD];
	unsigned segment, offset, size;

	if (sscanf(line, "%255s %*s %*s %x:%x %x", name, &segment, &offset, &size) != 4)
		return 0;
	return add_segment(reader->map, name, linear(segment, offset),
			   linear(segment, offset) + size);
}

/* "0000:0010* main_": the mark says that it is not referred to (*), an import (+), static (s). */
static int take_watcom_symbol(struct dosmap_reader *reader, const char *line)
{
	char name[WORD];
	unsigned segment, offset;
	int length;

	if (sscanf(line, "%x:%x%n", &segment, &offset, &length) != 2)
		return 0;
	line += length;
	if (*line && strchr("*+s", *line))
		line++;
	if (sscanf(line, " %255s", name) != 1)
		return 0;
	return add_symbol(reader->map, name, linear(segment, offset));
}

/* "    p      _twice  0  00000114  R": module, symbol, segment (0 to 3 is text, 3 data), address,
 * flags, of which A and a are an absolute one. */
static int take_ld86(struct dosmap_reader *reader, const char *line)
{
	char name[WORD], digits[WORD], flags[WORD];
	unsigned segment;

	if (sscanf(line, " %*s %255s %1x %255s %255[^\n]", name, &segment, digits, flags) != 4 ||
	    strlen(digits) != 8 || strspn(digits, "0123456789abcdef") != 8 || strpbrk(flags, "aA"))
		return 0;
	return add_symbol(reader->map, name, (uint32_t)strtoul(digits, NULL, 16));
}

static bool is_loaded(const char *section)
{
	static const char *const others[] = {".debug",	".comment", ".stab",	 ".note", ".gnu",
					     ".symtab", ".strtab",  ".shstrtab", ".rel"};

	for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
		if (!strncmp(section, others[i], strlen(others[i])))
			return false;
	return true;
}

/* " .text.f    0x00000100    0x7 a.o": what has no symbol is called by the file. */
static int take_input_section(struct dosmap_reader *reader, const char *section, const char *rest)
{
	char file[WORD];
	unsigned start, size;

	if (!is_loaded(section) || sscanf(rest, " 0x%x 0x%x %255[^\n]", &start, &size, file) != 3)
		return 0;
	return add_segment(reader->map, path_base(file), start, start + size);
}

/* Where a section's name is too long for its column, the rest stands on the next line. */
static int take_gnu(struct dosmap_reader *reader, const char *line)
{
	char word[WORD], name[WORD], more;
	unsigned address;
	int length, ret = 0;

	if (line[0] == ' ' && line[1] == '.' && sscanf(line, " %255s%n", word, &length) == 1) {
		free(reader->section);
		reader->section = line[length] ? NULL : strdup(word);
		if (!line[length] && !reader->section)
			return -ENOMEM;
		return line[length] ? take_input_section(reader, word, line + length) : 0;
	}
	if (sscanf(line, "                0x%x %255s %c", &address, name, &more) == 2 &&
	    (isalpha((unsigned char)*name) || *name == '_'))
		ret = add_symbol(reader->map, name, address);
	else if (reader->section)
		ret = take_input_section(reader, reader->section, line);
	free(reader->section);
	reader->section = NULL;
	return ret;
}

/* "Program entry point at 0000:0100", "Entry point address: 0000:0100". */
static bool take_entry(struct dosmap_reader *reader, const char *line)
{
	const char *found = strstr(line, "ntry point a");
	unsigned segment, offset;

	if (!found || sscanf(found, "ntry point %*s %x:%x", &segment, &offset) != 2)
		return false;
	reader->map->has_entry = true;
	reader->map->entry = segment * 16 + offset;
	reader->table = TABLE_OTHER;
	return true;
}

int dosmap_take_line(struct dosmap_reader *reader, const char *line)
{
	static int (*const takers[])(struct dosmap_reader * reader, const char *line) = {
		[TABLE_NONE] = take_ld86,
		[TABLE_SEGMENTS] = take_segment,
		[TABLE_PUBLICS] = take_public,
		[TABLE_LINES] = take_lines,
		[TABLE_WATCOM_SEGMENTS] = take_watcom_segment,
		[TABLE_WATCOM_SYMBOLS] = take_watcom_symbol,
		[TABLE_GNU] = take_gnu,
	};
	static const char lines[] = "Line numbers for ";
	const char *found = strstr(line, lines);
	enum table table;

	if (found)
		return open_lines(reader, found + strlen(lines));
	if (take_entry(reader, line))
		return 0;
	table = heading(line);
	if (table != TABLE_NONE) {
		reader->table = (int)table;
		return 0;
	}
	return reader->table == TABLE_OTHER ? 0 : takers[reader->table](reader, line);
}
