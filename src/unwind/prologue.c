// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/prologue.h"

#include "base/array.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	GAP_LEAST = 16 << 10,	     /* bytes of code without a rule */
	GAP_MOST = 32 << 20,	     /* what is read of a file, all in all */
	FEWEST = 16,		     /* functions with a frame pointer in it */
	ROWS_MOST = 256 << 10,	     /* added to a file */
	ALIGNMENT = 16,		     /* of functions */
	LINE = 64,		     /* of those of compilers that fill up cache lines */
	REACH = 32,		     /* instructions between taking a frame down and leaving */
	REACH_OF_JUMP = 64,	     /* and where the function is left by a jump */
	TRAPS = 3,		     /* of a function, side by side */
	REACH_OF_FUNCTION = 8 << 10, /* bytes that a jump in it leads to */
};

/* The rules of such a function: at its first instruction and its last, behind push %rbp, and where
 * %rbp is the frame's.  What it does with %rbx nobody knows. */
enum { OUTSIDE, PUSHED, FRAME, RULES };

static const struct unwind_rule rules[RULES] = {
	[OUTSIDE] = {.cfa_offset = 8,
		     .cfa_register = UNWIND_SP,
		     .saved = {{-8, UNWIND_AT_CFA}, {0, UNWIND_SAME}, {0, UNWIND_LOST}}},
	[PUSHED] = {.cfa_offset = 16,
		    .cfa_register = UNWIND_SP,
		    .saved = {{-8, UNWIND_AT_CFA}, {-16, UNWIND_AT_CFA}, {0, UNWIND_LOST}}},
	[FRAME] = {.cfa_offset = 16,
		   .cfa_register = UNWIND_BP,
		   .saved = {{-8, UNWIND_AT_CFA}, {-16, UNWIND_AT_CFA}, {0, UNWIND_LOST}}},
};

struct filler {
	const struct unwind_table *from;
	struct unwind_row *rows; /* heap */
	size_t count, capacity;
	size_t added, functions;
	size_t function; /* where the rows of the last one begin */
	uint64_t left;	 /* that may still be read */
	int fd;
};

/* A piece of code. */
struct text {
	const uint8_t *bytes;
	size_t size;
	uint32_t offset; /* in the file */
	bool is_filled;	 /* between any two functions there is an int3, up to a cache line */
};

/* A row at OFFSET takes the place of one that is there. */
static void make_way(struct filler *filler, uint32_t offset)
{
	if (filler->count && filler->rows[filler->count - 1].offset == offset)
		filler->count--;
}

static int put(struct filler *filler, struct unwind_row row)
{
	make_way(filler, row.offset);
	if (filler->count && filler->rows[filler->count - 1].offset > row.offset)
		return -EINVAL; /* segments stand in another order; nobody's do */
	if (ARRAY_RESERVE(filler->rows, filler->capacity, filler->count + 1))
		return -ENOMEM;
	filler->rows[filler->count++] = row;
	return 0;
}

/* From AT of TEXT on there is no rule. */
static int put_none(struct filler *filler, const struct text *text, size_t at)
{
	return put(filler, (struct unwind_row){text->offset + (uint32_t)at, UNWIND_UNKNOWN, 0});
}

static int put_rule(struct filler *filler, const struct text *text, size_t at, unsigned which)
{
	uint32_t offset = text->offset + (uint32_t)at;
	size_t number = filler->from->rule_count + which, back;

	make_way(filler, offset);
	back = filler->count - filler->function;
	filler->added++;
	return put(filler, (struct unwind_row){offset, (uint16_t)number,
					       (uint16_t)(back < UINT16_MAX ? back : UINT16_MAX)});
}

/* ---- instructions ---- */

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

/* The size of a return's instruction; 0: it is another. */
static size_t return_size(const struct text *text, size_t at)
{
	return HAS(text, at, "\xc3") ? 1 : HAS(text, at, "\xc2") ? 3 : 0;
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
	    (text->offset + trap + (uint64_t)over) % LINE)
		return true;
	for (size_t back = 6; back <= most; back++)
		if (bytes[-back] == 0x0f && (bytes[1 - back] & 0xf0) == 0x80 &&
		    distance_at(bytes - back + 2) == (int64_t)back - 6)
			return true;
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

/* Whether a function may begin at AT: what is before is filling, or leaves. */
static bool may_begin(const struct text *text, size_t at)
{
	static const char *const nops[] = {"\x0f\x1f", "\x0f\x1f\x40", "\x0f\x1f\x44",
					   "\x0f\x1f\x80", "\x0f\x1f\x84"};
	static const uint8_t sizes[] = {3, 4, 5, 7, 8};

	if ((text->offset + at) % (text->is_filled ? LINE : ALIGNMENT) || at < 16)
		return false;
	if (HAS(text, at - 1, "\xcc") && !is_trap(text, at))
		return true;
	if (text->is_filled)
		return false;
	if (HAS(text, at - 1, "\xc3") || HAS(text, at - 1, "\x90"))
		return true;
	for (size_t i = 0; i < ARRAY_LENGTH(nops); i++)
		if (has(text, at - sizes[i], nops[i], strlen(nops[i])) && !text->bytes[at - 1])
			return true;
	/* Back, as to where it began. */
	return (text->offset + at) % (2 * ALIGNMENT) == 0 &&
	       ((HAS(text, at - 5, "\xe9") && HAS(text, at - 1, "\xff")) ||
		(HAS(text, at - 2, "\xeb") && text->bytes[at - 1] >= 0x80));
}

/* V8's compiler does so with one byte at least. */
static bool is_filled(const struct text *text)
{
	size_t count = 0, others = 0;

	for (size_t at = 4; at < text->size; at++) {
		if (text->bytes[at] == 0xcc || !HAS(text, at - 4, "\xcc\xcc\xcc\xcc"))
			continue;
		if ((text->offset + at) % LINE)
			others++;
		else
			count++;
	}
	return count >= FEWEST && others < count / 16;
}

/* The size of an instruction that may leave a function without a frame; 0: it is another. */
static size_t leave_size(const struct text *text, size_t at)
{
	const uint8_t *bytes = text->bytes + at;

	if (return_size(text, at))
		return return_size(text, at);
	if (at + 5 > text->size)
		return 0;
	if (bytes[0] == 0xff && (bytes[1] & 0xf8) == 0xe0)
		return 2; /* jmp by a register */
	if (bytes[0] == 0xff && (bytes[1] & 0xf8) == 0x60)
		return 3;
	if (bytes[0] == 0xff && (bytes[1] & 0xf8) == 0xa0)
		return 6;
	return bytes[0] == 0xe9 && (uint8_t)(bytes[4] + 1) <= 1 ? 5 : 0;
}

/* ---- one function ---- */

/* The frame is taken down before AT, and the function left within REACH bytes: *RET_AT is behind
 * that. */
static int leave(struct filler *filler, const struct text *text, size_t at, size_t reach,
		 size_t *ret_at)
{
	size_t end = at, size = leave_size(text, at);
	int ret = return_size(text, at) ? put_rule(filler, text, at, OUTSIDE)
					: put_none(filler, text, at);

	while (!size && end < text->size && end - at < reach && !is_prologue(text, end)) {
		end++;
		size = leave_size(text, end);
	}
	*ret_at = end + size;
	if (*ret_at > text->size)
		*ret_at = text->size;
	return ret ? ret : put_rule(filler, text, *ret_at, FRAME);
}

/* From AT, behind a prologue, to the function's end, which is *RET_AT. */
static int read_body(struct filler *filler, const struct text *text, size_t at, size_t *ret_at)
{
	int ret = 0;

	while (at < text->size && !ret && !is_prologue(text, at) && !may_begin(text, at)) {
		if (HAS(text, at, "\x5d\xc3") || HAS(text, at, "\x5d\xc2") ||
		    HAS(text, at, "\xc9\xc3"))
			ret = leave(filler, text, at + 1, REACH, &at);
		else if (HAS(text, at, "\x48\x8b\xe5\x5d") || HAS(text, at, "\x48\x89\xec\x5d"))
			ret = leave(filler, text, at + 4, REACH, &at);
		else if (HAS(text, at, "\x48\x8b\x6d\x00")) /* mov 0(%rbp),%rbp */
			ret = leave(filler, text, at + 4, REACH_OF_JUMP, &at);
		else
			at++;
	}
	*ret_at = at;
	return ret ? ret : put_none(filler, text, at);
}

static int read_functions(struct filler *filler, const struct text *text)
{
	size_t at = 0;
	int ret = 0;

	while (at < text->size && !ret && filler->added <= ROWS_MOST) {
		if (!is_prologue(text, at)) {
			at++;
			continue;
		}
		filler->functions++;
		make_way(filler, text->offset + (uint32_t)at);
		filler->function = filler->count;
		ret = put_rule(filler, text, at, OUTSIDE);
		if (!ret)
			ret = put_rule(filler, text, at + 1, PUSHED);
		if (!ret)
			ret = put_rule(filler, text, at + 4, FRAME);
		if (!ret)
			ret = read_body(filler, text, at + 4, &at);
	}
	return ret;
}

/* ---- all code without a rule ---- */

/* What lies from START up to END of the file.  Of one that cannot be read nothing is known. */
static int fill_gap(struct filler *filler, uint64_t start, uint64_t end)
{
	struct text text = {.size = end - start, .offset = (uint32_t)start};
	struct filler before = *filler;
	struct unwind_row last = {0};
	uint8_t *bytes;
	int ret = 0;

	if (end > UINT32_MAX || end < start + GAP_LEAST || text.size > filler->left)
		return 0;
	bytes = malloc(text.size);
	if (!bytes)
		return -ENOMEM;
	if (filler->count)
		last = filler->rows[filler->count - 1];
	text.bytes = bytes;
	if (pread(filler->fd, bytes, text.size, (off_t)start) == (ssize_t)text.size) {
		text.is_filled = is_filled(&text);
		ret = read_functions(filler, &text);
	}
	free(bytes);
	if (filler->functions - before.functions < FEWEST) {
		filler->count = before.count;
		filler->added = before.added;
		filler->functions = before.functions;
		if (filler->count)
			filler->rows[filler->count - 1] = last;
	}
	filler->left -= text.size;
	return ret;
}

/* Whether nothing covers what is behind ROW, the INDEXth, up to the next. */
static bool is_gap(const struct unwind_table *table, size_t index)
{
	const struct unwind_row *row = &table->rows[index];

	return row->rule == UNWIND_UNKNOWN && !row->back &&
	       (index + 1 == table->row_count || !row[1].back);
}

static int fill_segment(struct filler *filler, const struct unwind_segment *segment, size_t *index)
{
	const struct unwind_table *table = filler->from;
	uint64_t at = segment->offset, end = segment->offset + segment->size;
	bool is_open = true;
	int ret = 0;

	for (; *index < table->row_count && !ret; ++*index) {
		const struct unwind_row *row = &table->rows[*index];

		if (row->offset >= end)
			break;
		if (is_open && row->offset > at)
			ret = fill_gap(filler, at, row->offset);
		if (!ret)
			ret = put(filler, *row);
		is_open = is_gap(table, *index);
		at = row->offset;
	}
	return !ret && is_open && at < end ? fill_gap(filler, at, end) : ret;
}

static int fill_all(struct filler *filler, const struct unwind_elf *elf)
{
	size_t index = 0;
	int ret = 0;

	for (unsigned i = 0; i < elf->segment_count && !ret; i++)
		ret = fill_segment(filler, &elf->segments[i], &index);
	for (; index < filler->from->row_count && !ret; index++)
		ret = put(filler, filler->from->rows[index]);
	return ret;
}

/* The rules behind those that TABLE has. */
static int add_rules(struct unwind_table *table)
{
	struct unwind_rule *more =
		reallocarray(table->rules, table->rule_count + RULES, sizeof(*more));

	if (!more)
		return -ENOMEM;
	memcpy(more + table->rule_count, rules, sizeof(rules));
	table->rules = more;
	table->rule_count += RULES;
	return 0;
}

int unwind_add_prologues(int fd, const struct unwind_elf *elf, struct unwind_table *table)
{
	struct filler filler = {.from = table, .left = GAP_MOST, .fd = fd};
	int ret;

	if (!table->row_count || table->word_size != 8 || table->rule_count < UNWIND_FIRST_RULE ||
	    table->rule_count + RULES > UINT16_MAX)
		return 0;
	ret = fill_all(&filler, elf);
	if (!ret && (!filler.added || filler.added > ROWS_MOST))
		ret = -EINVAL;
	if (!ret)
		ret = add_rules(table);
	if (ret) {
		free(filler.rows);
		return ret == -ENOMEM ? ret : 0;
	}
	free(table->rows);
	table->rows = filler.rows;
	table->row_count = filler.count;
	return 0;
}
