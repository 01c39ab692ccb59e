/* SPDX-License-Identifier: BSD-2-Clause */
#include "dos/prohst/map.h"

#define NAME_COLUMN 22
#define WORD_MASK 0xffff

static void complain(const struct prohst_complaint *complaint, const char *text)
{
	if (complaint)
		(*complaint->say)(complaint->context, text);
}

static unsigned hex_digit(const struct prohst_complaint *complaint, int digit)
{
	if (digit >= '0' && digit <= '9')
		return (unsigned)(digit - '0');
	if (digit >= 'A' && digit <= 'F')
		return (unsigned)(digit - 'A' + 10);
	complain(complaint, "Invalid hex character");
	return 0;
}

static int is_digit(int byte)
{
	return byte >= '0' && byte <= '9';
}

/* Behind the end of a line stands what the line before had there, as in PROHST 1.0, whose line is
 * one variable: its rules look at columns that a short line does not have. */
void modules_next(struct prohst_modules *modules)
{
	unsigned length, address = 0;
	int i;

	modules->at_end = 1;
	if (text_at_end(&modules->text))
		return;
	length = text_line(&modules->text, modules->line, MAP_LINE);
	if (length < 6 || !is_digit(modules->line[1]))
		return;
	modules->at_end = 0;
	for (i = 1; i < 5; i++)
		address = (address << 4) | hex_digit(modules->complaint, modules->line[i]);
	modules->address = address;
	for (i = 0; i < MODULE_NAME; i++)
		modules->name[i] = modules->line[NAME_COLUMN + i];
}

void modules_open(struct prohst_modules *modules, const struct prohst_input *map,
		  const struct prohst_complaint *complaint)
{
	char start[6];
	unsigned length = 0;
	int i;

	for (i = 0; i < MAP_LINE; i++)
		modules->line[i] = ' ';
	modules->complaint = complaint;
	text_open(&modules->text, map);
	while (!text_at_end(&modules->text) && !text_equals(start, length, " Start"))
		length = text_line(&modules->text, start, sizeof(start));
	modules_next(modules);
}

void lines_open(struct prohst_lines *lines, const struct prohst_input *map, int mended,
		const struct prohst_complaint *complaint)
{
	struct prohst_modules modules;
	char start[17];
	unsigned length = 0;

	modules_open(&modules, map, (const struct prohst_complaint *)0);
	while (!modules.at_end)
		modules_next(&modules);
	lines->text = modules.text;
	lines->complaint = complaint;
	lines->mended = mended;
	lines->available = 0;
	lines->number = lines->ahead = lines->paragraph = 0;
	while (!lines->available && !text_at_end(&lines->text)) {
		length = text_line(&lines->text, start, sizeof(start));
		lines->available = text_equals(start, length, "Line numbers for ");
	}
}

static void skip_blanks(struct prohst_text *text)
{
	while (!text_at_end(text) && text_peek(text) == ' ')
		text_get(text);
}

static unsigned read_decimal(struct prohst_text *text)
{
	unsigned value = 0;

	skip_blanks(text);
	while (is_digit(text_peek(text))) {
		value = (value * 10 + (unsigned)(text_peek(text) - '0')) & WORD_MASK;
		text_get(text);
	}
	return value;
}

static unsigned read_hex(struct prohst_lines *lines, int digits)
{
	unsigned value = 0;

	skip_blanks(&lines->text);
	for (; digits && !text_at_end(&lines->text); digits--) {
		value = (value << 4) | hex_digit(lines->complaint, text_peek(&lines->text));
		text_get(&lines->text);
	}
	return value & WORD_MASK;
}

/* Pass over WANTED.  Returns whether the file goes on. */
static int expect(struct prohst_lines *lines, int wanted)
{
	if (text_peek(&lines->text) != wanted)
		complain(lines->complaint, "Invalid map file");
	return !text_at_end(&lines->text);
}

/* Go to the next line number: lines that do not begin with a digit are headings and the like. */
static int find_number(struct prohst_text *text)
{
	skip_blanks(text);
	while (!is_digit(text_peek(text))) {
		if (text_at_end(text))
			return 0;
		text_skip_line(text);
		skip_blanks(text);
	}
	return 1;
}

/* The address of a number, "0000:0010H".  Its paragraph is the next one where the offset is within
 * a paragraph; PROHST 1.0 asks the first digit for that, not the last one.  Returns 0 where the
 * file ends within. */
static int read_address(struct prohst_lines *lines)
{
	struct prohst_text *text = &lines->text;
	unsigned segment, offset, last;

	segment = read_hex(lines, 4);
	if (text_at_end(text) || !expect(lines, ':'))
		return 0;
	text_get(text);
	if (text_at_end(text))
		return 0;
	offset = read_hex(lines, 3);
	last = hex_digit(lines->complaint, text_peek(text));
	offset += lines->mended ? last > 0 : offset > 0xff;
	text_get(text);
	if (!lines->mended) {
		if (!expect(lines, 'H'))
			return 0;
		text_get(text);
	} else if (text_peek(text) == 'H') {
		text_get(text);
	}
	lines->paragraph = (segment + offset) & WORD_MASK;
	return 1;
}

/* A number counts once the one behind it is read.  PROHST 1.0 so never shows the last one of the
 * map; mended, it counts too, and one whose address the end of the file cuts off does not. */
unsigned lines_until(struct prohst_lines *lines, unsigned address)
{
	lines->number = 0;
	while (lines->available && address >= lines->paragraph) {
		if (lines->mended)
			lines->number = lines->ahead ? lines->ahead : lines->number;
		lines->available = find_number(&lines->text);
		if (!lines->available)
			break;
		if (!lines->mended)
			lines->number = lines->ahead;
		lines->ahead = read_decimal(&lines->text);
		lines->available = read_address(lines);
		if (lines->available)
			lines->available = lines->mended || !text_at_end(&lines->text);
	}
	return lines->number;
}
