// SPDX-License-Identifier: BSD-2-Clause
#include "format/perf_mmaps.h"

#include "base/array.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* No file has code that far from its beginning, and no process has a library below; the kernel's
 * half of the addresses is in no process. */
#define PROCESS_FROM (UINT64_C(1) << 30)
#define PROCESS_TO (UINT64_C(1) << 63)

/* Processes whose mappings of one file overlap, though each has its own; more are not looked at. */
#define OVERLAP_MAX 256

static bool skip_to(struct perf_text *text, const char *word)
{
	size_t size = strlen(word);
	const char *found = memmem(text->start, text->size, word, size);

	if (!found)
		return false;
	text->size -= (size_t)(found + size - text->start);
	text->start = found + size;
	return true;
}

/* The number behind "0x", which perf leaves out where it is 0. */
static bool take_number(struct perf_text *text, uint64_t *ret_number)
{
	struct perf_text digits = {text->start, 0};

	if (text->size > 2 && !memcmp(text->start, "0x", 2))
		digits.start += 2;
	while (digits.start + digits.size < text->start + text->size &&
	       isxdigit((unsigned char)digits.start[digits.size]))
		digits.size++;
	text->size -= (size_t)(digits.start + digits.size - text->start);
	text->start = digits.start + digits.size;
	return perf_text_number(digits, 16, ret_number);
}

static bool take_pid(struct perf_text *text, uint32_t *ret_pid)
{
	struct perf_text pid = {text->start, 0};
	uint64_t number;

	if (!skip_to(text, "/"))
		return false;
	pid.size = (size_t)(text->start - pid.start) - 1;
	if (!perf_text_number(pid, 10, &number) || number > UINT32_MAX)
		return false;
	*ret_pid = (uint32_t)number;
	return true;
}

/* Whether LINE tells of code that was mapped. */
static bool parse(struct perf_text line, struct perf_mmap *ret_mmap, struct perf_text *ret_path)
{
	struct perf_mmap mmap = {0};
	struct perf_text text = line;
	const char *protection;

	if (!skip_to(&text, "PERF_RECORD_MMAP") || !perf_line_record(line))
		return false;
	if (!skip_to(&text, " ") || !take_pid(&text, &mmap.pid) || !skip_to(&text, ": [") ||
	    !take_number(&text, &mmap.start) || !skip_to(&text, "(") ||
	    !take_number(&text, &mmap.size) || !skip_to(&text, ") @ ") ||
	    !take_number(&text, &mmap.offset) || !skip_to(&text, "]: "))
		return false;
	protection = text.start;
	if (!skip_to(&text, " ") || !memchr(protection, 'x', (size_t)(text.start - protection)))
		return false;
	*ret_mmap = mmap;
	*ret_path = text;
	return text.size != 0;
}

static int take(struct perf_mmaps *mmaps, struct perf_mmap mmap, struct perf_text path)
{
	if (strings_add(mmaps->paths, path.start, path.size, &mmap.object) ||
	    ARRAY_RESERVE(mmaps->items, mmaps->capacity, mmaps->count + 1))
		return -ENOMEM;
	mmaps->items[mmaps->count++] = mmap;
	if (mmap.size > mmaps->largest)
		mmaps->largest = mmap.size;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct perf_mmap *a = left, *b = right;

	ARRAY_COMPARE(a->object, b->object);
	ARRAY_COMPARE(a->start, b->start);
	return 0;
}

int perf_mmaps_read(struct perf_mmaps *mmaps, struct perf_text text)
{
	struct perf_text line, path;
	struct perf_mmap mmap;
	int ret = 0;

	mmaps->paths = strings_new();
	if (!mmaps->paths)
		return -ENOMEM;
	while (!ret && perf_line_next(&text, &line))
		if (parse(line, &mmap, &path))
			ret = take(mmaps, mmap, path);
	ARRAY_SORT(mmaps->items, mmaps->count, compare);
	return ret;
}

void perf_mmaps_done(struct perf_mmaps *mmaps)
{
	strings_free(mmaps->paths);
	free(mmaps->items);
	*mmaps = (struct perf_mmaps){0};
}

/* What the mappings of OBJECT around ADDRESS say its offset is: those of PID first; those of others
 * only if they agree, for the lines of a thread name no process, and a child has its parent's
 * mappings without a line. */
static bool find_offset(const struct perf_mmaps *mmaps, uint32_t object, uint32_t pid,
			uint64_t address, uint64_t *ret_offset)
{
	size_t behind = ARRAY_FIRST_NOT(
		i, mmaps->count,
		mmaps->items[i].object < object ||
			(mmaps->items[i].object == object && mmaps->items[i].start <= address));
	bool is_own = false, is_found = false, is_doubtful = false, differs;

	for (size_t i = behind, left = OVERLAP_MAX; i-- && left--;) {
		const struct perf_mmap *mmap = &mmaps->items[i];
		uint64_t into = address - mmap->start, offset = mmap->offset + into;

		if (mmap->object != object || into >= mmaps->largest)
			break;
		if (into >= mmap->size || (is_own && mmap->pid != pid))
			continue;
		differs = is_found && is_own == (mmap->pid == pid) && offset != *ret_offset;
		is_doubtful = differs || (is_doubtful && is_own == (mmap->pid == pid));
		is_own = mmap->pid == pid;
		is_found = true;
		*ret_offset = offset;
	}
	return is_found && !is_doubtful;
}

enum perf_address perf_mmaps_place(const struct perf_mmaps *mmaps, struct perf_text object,
				   uint32_t pid, uint64_t *address)
{
	uint64_t offset = 0;
	uint32_t number;

	if (*address < PROCESS_FROM || *address >= PROCESS_TO)
		return PERF_IN_FILE;
	if (strings_add(mmaps->paths, object.start, object.size, &number) ||
	    !find_offset(mmaps, number, pid, *address, &offset))
		return PERF_IN_PROCESS;
	*address = offset;
	return PERF_IN_FILE;
}
