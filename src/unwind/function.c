// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/function.h"

#include "base/array.h"
#include "unwind/elf_file.h"

#include <string.h>
#include <unistd.h>

enum {
	FEWEST = 16,		     /* functions, to tell how a compiler fills up */
	TRAPS = 3,		     /* of a function, side by side */
	LONGER_MOST = 8,	     /* times that a function turns out to be longer */
	REACH_OF_FUNCTION = 8 << 10, /* bytes that a jump in it leads to */
	HEAD = 4 << 10,		     /* bytes of a file that have its segments */
};

static bool has(const struct text *text, size_t at, const char *bytes, size_t size)
{
	return at <= text->size && size <= text->size - at &&
	       !memcmp(text->bytes + at, bytes, size);
}

#define HAS(text, at, bytes) has(text, at, bytes, sizeof(bytes) - 1)

static bool is_prologue(const struct text *text, size_t at)
{
	return HAS(text, at, "\x55\x48\x89\xe5"); /* push %rbp; mov %rsp,%rbp */
}

static int64_t distance_at(const uint8_t *bytes)
{
	int32_t distance;

	memcpy(&distance, bytes, sizeof(distance));
	return distance;
}

/* Whether the int3 at TRAP, behind which AT comes, is jumped to by a condition, or over to where no
 * function begins: so the function lies on both sides. */
static bool is_inside(const struct text *text, size_t trap, size_t at)
{
	const uint8_t *bytes = text->bytes + trap;
	size_t most = trap < REACH_OF_FUNCTION ? trap : REACH_OF_FUNCTION;
	int64_t over = 0;

	if (bytes[-5] == 0xe9)
		over = distance_at(bytes - 4);
	else if (bytes[-2] == 0xeb)
		over = (int8_t)bytes[-1];
	if (over > (int64_t)(at - trap) && over < REACH_OF_FUNCTION &&
	    (text->offset + trap + (uint64_t)over) % FUNCTION_LINE)
		return true;
	for (size_t back = 6; back <= most; back++) {
		const uint8_t *jump = bytes - back;

		if (jump[0] == 0x0f && (jump[1] & 0xf0) == 0x80 &&
		    distance_at(jump + 2) == (int64_t)back - 6)
			return true;
	}
	return false;
}

/* Whether the few int3 before AT are traps of its function: the one follows a call that does not
 * return, or the function goes on behind it. */
static bool is_trap(const struct text *text, size_t at)
{
	static const uint8_t sizes[] = {2, 3, 6}; /* of call by a register, [register + n] */
	const uint8_t *trap = text->bytes + at - 1;

	for (size_t i = at; text->is_filled && i + TRAPS > at && text->bytes[i - 1] == 0xcc; i--)
		if (is_inside(text, i - 1, at))
			return true;
	if (trap[-1] == 0xcc)
		return false;
	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++)
		if (trap[-sizes[i]] == 0xff && (trap[1 - sizes[i]] & 0x38) == 0x10)
			return true;
	return trap[-5] == 0xe8;
}

/* Whether a function begins at AT, where lines are filled up. */
static bool is_behind_filling(const struct text *text, size_t at)
{
	return (text->offset + at) % FUNCTION_LINE == 0 && at >= FUNCTION_LINE &&
	       text->bytes[at] != 0xcc && text->bytes[at - 1] == 0xcc && !is_trap(text, at);
}

void text_look_at_filling(struct text *text, size_t at, size_t most)
{
	size_t count = 0, others = 0;

	text->looked = text->size - at < most ? text->size : at + most;
	at += FUNCTION_ALIGNMENT - (text->offset + at) % FUNCTION_ALIGNMENT;
	for (; at < text->looked; at += FUNCTION_ALIGNMENT) {
		if (text->bytes[at] == 0xcc || at < 4 || !HAS(text, at - 4, "\xcc\xcc\xcc\xcc"))
			continue;
		if ((text->offset + at) % FUNCTION_LINE)
			others++;
		else
			count++;
	}
	text->is_filled = count >= FEWEST && others < count / 16;
}

static bool is_behind_traps(const struct text *text, size_t at)
{
	return (text->offset + at) % FUNCTION_ALIGNMENT == 0 && at >= 2 &&
	       text->bytes[at] != 0xcc && text->bytes[at - 1] == 0xcc &&
	       text->bytes[at - 2] == 0xcc;
}

bool text_begins(const struct text *text, size_t at)
{
	if (text->is_filled)
		return is_behind_filling(text, at);
	return is_prologue(text, at) || (text->has_traps && is_behind_traps(text, at));
}

/* Where the next function begins. */
static size_t end_of(const struct text *text, size_t at)
{
	do
		at++;
	while (at < text->size && !text_begins(text, at));
	return at;
}

static bool read_memory(const struct flow_code *code, int64_t at, void *ret, size_t size)
{
	uint8_t head[HEAD];
	ssize_t got = pread(code->fd, head, sizeof(head), 0);
	uint64_t offset;

	return got > 0 && unwind_elf_moved(head, (size_t)got, code->offset, at, &offset) &&
	       pread(code->fd, ret, size, (off_t)offset) == (ssize_t)size;
}

int text_follow(struct text *text, size_t start, size_t *ret_end)
{
	struct flow_code code = {
		.bytes = text->bytes + start,
		.offset = text->offset + (uint32_t)start,
		.alignment = text->is_filled ? FUNCTION_LINE : FUNCTION_ALIGNMENT,
		.is_v8 = text->is_filled,
		.has_traps = !text->is_filled && start && text->bytes[start - 1] == 0xcc,
		.read = read_memory,
		.fd = text->fd,
	};
	size_t end = end_of(text, start);
	int ret;

	for (int again = 0;; again++) {
		code.size = end - start;
		ret = flow_follow(&text->flow, &code);
		*ret_end = end;
		if (ret != FLOW_LONGER || end == text->size || again == LONGER_MOST)
			return ret;
		do
			end = end_of(text, end);
		while (end < text->size && end - start <= text->flow.furthest);
	}
}
