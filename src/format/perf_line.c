// SPDX-License-Identifier: BSD-2-Clause
#include "format/perf_line.h"

#include "base/array.h"

#include <ctype.h>
#include <string.h>

bool perf_text_is(struct perf_text text, const char *word)
{
	return text.size == strlen(word) && !memcmp(text.start, word, text.size);
}

bool perf_line_next(struct perf_text *text, struct perf_text *ret_line)
{
	const char *end;
	size_t size;

	if (!text->size)
		return false;
	end = memchr(text->start, '\n', text->size);
	size = end ? (size_t)(end - text->start) : text->size;
	*ret_line = (struct perf_text){text->start, size};
	size += end != NULL;
	text->start += size;
	text->size -= size;
	return true;
}

static void skip(struct perf_text *text, size_t size)
{
	text->start += size;
	text->size -= size;
}

static void trim(struct perf_text *text)
{
	while (text->size && isspace((unsigned char)*text->start))
		skip(text, 1);
	while (text->size && isspace((unsigned char)text->start[text->size - 1]))
		text->size--;
}

/* The next word of TEXT, which goes on behind it; an empty one at the end. */
static struct perf_text next_word(struct perf_text *text)
{
	struct perf_text word;

	trim(text);
	word = (struct perf_text){text->start, 0};
	while (word.size < text->size && !isspace((unsigned char)word.start[word.size]))
		word.size++;
	skip(text, word.size);
	return word;
}

bool perf_text_number(struct perf_text word, unsigned base, uint64_t *ret_number)
{
	uint64_t number = 0;

	for (size_t i = 0; i < word.size; i++) {
		unsigned char c = (unsigned char)word.start[i];
		unsigned digit = 16;

		if (isdigit(c))
			digit = c - '0';
		else if (isxdigit(c))
			digit = (unsigned)tolower(c) - 'a' + 10;

		if (digit >= base || __builtin_mul_overflow(number, base, &number) ||
		    __builtin_add_overflow(number, digit, &number))
			return false;
	}
	*ret_number = number;
	return word.size != 0;
}

/* "12345.678901:". */
static bool is_time(struct perf_text word)
{
	size_t points = 0;

	if (word.size < 4 || word.start[word.size - 1] != ':')
		return false;
	for (size_t i = 0; i + 1 < word.size; i++) {
		points += word.start[i] == '.';
		if (word.start[i] != '.' && !isdigit((unsigned char)word.start[i]))
			return false;
	}
	return points == 1 && isdigit((unsigned char)*word.start);
}

/* A comm may have blanks in it: it is what stands before "pid [cpu] time:". */
static bool take_comm(struct perf_text *line, struct perf_head *ret_head)
{
	struct perf_text before = {0}, comm = *line, word = next_word(line);
	uint64_t number, process = 0;

	for (; word.size && !is_time(word); word = next_word(line)) {
		struct perf_text pid = word;
		const char *slash = memchr(word.start, '/', word.size);

		if (slash)
			pid.size = (size_t)(slash - word.start);
		if (!perf_text_number(pid, 10, &number))
			continue;
		before = word;
		process = number;
	}
	if (!word.size || !before.size)
		return false;
	comm.size = (size_t)(before.start - comm.start);
	trim(&comm);
	ret_head->comm = comm;
	ret_head->process = (uint32_t)process;
	return true;
}

bool perf_line_head(struct perf_text line, struct perf_head *ret_head)
{
	struct perf_head head = {0};
	struct perf_text word;

	if (!line.size || *line.start == '\t' || *line.start == '#')
		return false;
	if (!take_comm(&line, &head))
		return false;
	word = next_word(&line);
	if (perf_text_number(word, 10, &head.period))
		word = next_word(&line);
	if (word.size < 2 || word.start[word.size - 1] != ':')
		return false;
	word.size--;
	head.event = word;
	trim(&line);
	head.rest = line;
	*ret_head = head;
	return true;
}

bool perf_line_record(struct perf_text line)
{
	static const char record[] = "PERF_RECORD_";
	struct perf_head head;

	if (!line.size || *line.start == '\t' || *line.start == '#' || !take_comm(&line, &head))
		return false;
	trim(&line);
	return line.size >= sizeof(record) - 1 && !memcmp(line.start, record, sizeof(record) - 1);
}

/* "name+0x1f" is the name. */
static void cut_offset(struct perf_text *symbol)
{
	for (size_t i = symbol->size; i-- > 2;) {
		unsigned char c = (unsigned char)symbol->start[i];

		if (c == 'x' && symbol->start[i - 1] == '0' && symbol->start[i - 2] == '+') {
			symbol->size = i - 2;
			return;
		}
		if (!isxdigit(c))
			return;
	}
}

/* The last " (", before one of the characters FIRST: symbols and paths may have parentheses and
 * blanks, too, but few have all of that. */
static bool find_object(struct perf_text line, const char *first, size_t *ret_open)
{
	for (size_t i = line.size - 1; i--;) {
		if (line.start[i] != '(' || (i && line.start[i - 1] != ' '))
			continue;
		if (first && !strchr(first, line.start[i + 1]))
			continue;
		*ret_open = i;
		return true;
	}
	return false;
}

bool perf_line_frame(struct perf_text line, struct perf_frame *ret_frame)
{
	struct perf_frame frame = {0};
	size_t open;

	if (!perf_text_number(next_word(&line), 16, &frame.address))
		return false;
	trim(&line);
	if (!line.size || line.start[line.size - 1] != ')')
		return false;
	if (!find_object(line, "/[", &open) && !find_object(line, NULL, &open))
		return false;
	frame.object = (struct perf_text){line.start + open + 1, line.size - open - 2};
	frame.symbol = (struct perf_text){line.start, open};
	trim(&frame.symbol);
	cut_offset(&frame.symbol);
	*ret_frame = frame;
	return true;
}

bool perf_text_is_library(struct perf_text object)
{
	static const char *const ends[] = {".so", ".node", ".dll"};
	const char *slash = memrchr(object.start, '/', object.size);
	const char *base = slash ? slash + 1 : object.start, *end = object.start + object.size;

	for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
		size_t size = strlen(ends[i]);
		const char *found = memmem(base, (size_t)(end - base), ends[i], size);

		if (found && (found + size == end || found[size] == '.' || found[size] == ' '))
			return true;
	}
	return false;
}
