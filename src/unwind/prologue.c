// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/prologue.h"

#include "base/array.h"
#include "unwind/flow.h"
#include "unwind/rules.h"

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
	TRAPS = 3,		     /* of a function, side by side */
	PIECE = 128 << 10,	     /* of a file's code, as one compiler makes it */
	LONGER_MOST = 8,	     /* times that a function turns out to be longer */
	REACH_OF_FUNCTION = 8 << 10, /* bytes that a jump in it leads to */
	ENDINGS = 8,		     /* functions called at the end, that are looked at */
	ENDING_MOST = 128,	     /* bytes of what is called at the end */
};

struct filler {
	const struct unwind_table *from;
	struct unwind_row *rows; /* heap */
	size_t count, capacity;
	struct unwind_rules rules;
	size_t added, functions;
	size_t function;	   /* where the rows of the last one begin */
	uint64_t left;		   /* that may still be read */
	uint64_t endings[ENDINGS]; /* functions that are called at the end, in the file; sorted */
	size_t ending_count;
	int fd;
};

/* A piece of code. */
struct text {
	const uint8_t *bytes;
	size_t size;
	uint32_t offset; /* in the file */
	size_t lead;	 /* bytes at the front that only show what comes before it */
	/* Up to LOOKED, between any two functions there is an int3, up to a cache line. */
	bool is_filled;
	size_t looked;
	struct flow flow;
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

static int put_rule(struct filler *filler, const struct text *text, size_t at,
		    const struct motion *motion)
{
	uint32_t offset = text->offset + (uint32_t)at;
	struct unwind_rule rule = motion_rule(motion);
	uint16_t number;
	size_t back;
	int ret = unwind_rules_add(&filler->rules, &rule, &number);

	if (ret || filler->from->rule_count + number > UINT16_MAX)
		return ret ? ret : -EINVAL;
	number = (uint16_t)(filler->from->rule_count + number - UNWIND_FIRST_RULE);
	/* Where the frame pointer says it, the stack pointer may move. */
	if (filler->count > filler->function && filler->rows[filler->count - 1].rule == number)
		return 0;
	make_way(filler, offset);
	back = filler->count - filler->function;
	filler->added++;
	return put(filler, (struct unwind_row){offset, number,
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

/* Whether a function begins at AT, where lines are filled up. */
static bool is_behind_filling(const struct text *text, size_t at)
{
	return (text->offset + at) % LINE == 0 && at >= LINE && text->bytes[at] != 0xcc &&
	       text->bytes[at - 1] == 0xcc && !is_trap(text, at);
}

/* Whether lines are filled up from AT on: V8's compiler does so, with one byte at least. */
static void look_at_filling(struct text *text, size_t at)
{
	size_t count = 0, others = 0;

	text->looked = text->size - at < PIECE ? text->size : at + PIECE;
	for (at += 4; at < text->looked; at++) {
		if (text->bytes[at] == 0xcc || (text->offset + at) % ALIGNMENT ||
		    !HAS(text, at - 4, "\xcc\xcc\xcc\xcc"))
			continue;
		if ((text->offset + at) % LINE)
			others++;
		else
			count++;
	}
	text->is_filled = count >= FEWEST && others < count / 16;
}

/* ---- one function ---- */

/* Whether rows begin at AT: of a compiler that fills up lines each function is seen, of others one
 * that sets up a frame pointer. */
static bool begins(const struct text *text, size_t at)
{
	return text->is_filled ? is_behind_filling(text, at) : is_prologue(text, at);
}

/* Where the next function begins. */
static size_t end_of(const struct text *text, size_t at)
{
	do
		at++;
	while (at < text->size && !begins(text, at));
	return at;
}

/* Rows for what FLOW has from START up to END. */
static int put_rows(struct filler *filler, const struct text *text, size_t start, size_t end)
{
	const struct motion *before = NULL, *motion;
	int ret = 0;

	make_way(filler, text->offset + (uint32_t)start);
	filler->function = filler->count;
	for (size_t at = start; at < end && !ret; at += flow_length(&text->flow, at - start)) {
		motion = flow_motion(&text->flow, at - start);
		if (at > start && motion_is_same(motion, before))
			continue;
		ret = motion ? put_rule(filler, text, at, motion) : put_none(filler, text, at);
		before = motion;
	}
	return ret ? ret : put_none(filler, text, end);
}

/* Follow the function that begins at START, up to *RET_END. */
static int follow(struct text *text, size_t start, size_t *ret_end)
{
	struct flow_code code = {text->bytes + start, 0, text->offset + (uint32_t)start,
				 text->is_filled ? LINE : ALIGNMENT, text->is_filled};
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

static int read_functions(struct filler *filler, struct text *text)
{
	size_t at = text->lead, end;
	int ret = 0;

	while (at < text->size && ret >= 0 && filler->added <= ROWS_MOST) {
		if (at >= text->looked)
			look_at_filling(text, at);
		if (!begins(text, at)) {
			at++;
			continue;
		}
		ret = follow(text, at, &end);
		filler->functions += text->flow.is_framed;
		if (!ret)
			ret = put_rows(filler, text, at, end);
		at = end;
	}
	return ret < 0 ? ret : 0;
}

/* ---- all code without a rule ---- */

/* What compilers put into each file to be called at its end has no call frame information: the
 * function at START.  END is where there is some again. */
static int fill_ending(struct filler *filler, uint64_t start, uint64_t end)
{
	uint8_t bytes[ENDING_MOST];
	struct text text = {.bytes = bytes, .offset = (uint32_t)start};
	struct flow_code code = {.bytes = bytes, .offset = text.offset, .alignment = ALIGNMENT};
	int ret = 0;

	text.size = code.size = end - start < ENDING_MOST ? end - start : ENDING_MOST;
	if (pread(filler->fd, bytes, text.size, (off_t)start) == (ssize_t)text.size)
		ret = flow_follow(&text.flow, &code);
	if (!ret && text.flow.is_framed)
		ret = put_rows(filler, &text, 0, text.size);
	flow_done(&text.flow);
	return ret < 0 ? ret : 0;
}

static int fill_endings(struct filler *filler, uint64_t start, uint64_t end)
{
	int ret = 0;

	for (size_t i = 0; i < filler->ending_count && !ret; i++) {
		uint64_t at = filler->endings[i];
		uint64_t next = i + 1 < filler->ending_count ? filler->endings[i + 1] : end;

		if (at >= start && at < end)
			ret = fill_ending(filler, at, next < end ? next : end);
	}
	return ret;
}

/* What lies from START up to END of the file.  Of one that cannot be read nothing is known. */
static int fill_gap(struct filler *filler, uint64_t start, uint64_t end)
{
	uint64_t lead = start < LINE ? start : LINE;
	struct text text = {
		.size = end - start + lead, .offset = (uint32_t)(start - lead), .lead = lead};
	struct filler before = *filler;
	struct unwind_row last = {0};
	uint8_t *bytes;
	int ret = 0;

	if (end <= UINT32_MAX && end < start + GAP_LEAST)
		return fill_endings(filler, start, end);
	if (end > UINT32_MAX || end < start + GAP_LEAST || text.size > filler->left)
		return 0;
	bytes = malloc(text.size);
	if (!bytes)
		return -ENOMEM;
	if (filler->count)
		last = filler->rows[filler->count - 1];
	text.bytes = bytes;
	if (pread(filler->fd, bytes, text.size, (off_t)(start - lead)) == (ssize_t)text.size)
		ret = read_functions(filler, &text);
	flow_done(&text.flow);
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
static int add_rules(struct unwind_table *table, const struct unwind_rules *rules)
{
	size_t count = rules->count - UNWIND_FIRST_RULE;
	struct unwind_rule *more =
		reallocarray(table->rules, table->rule_count + count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	memcpy(more + table->rule_count, rules->items + UNWIND_FIRST_RULE, count * sizeof(*more));
	table->rules = more;
	table->rule_count += count;
	return 0;
}

static int by_place(const void *left, const void *right)
{
	ARRAY_COMPARE(*(const uint64_t *)left, *(const uint64_t *)right);
	return 0;
}

static void find_endings(struct filler *filler, const struct unwind_elf *elf)
{
	struct bytes bytes = {elf->ends.data, elf->ends.data, false};
	struct unwind_elf_part part;

	if (elf->ends.data)
		bytes.end += elf->ends.size;
	while (filler->ending_count < ENDINGS && !bytes.is_short) {
		uint64_t start = bytes_number(&bytes, sizeof(start));

		if (start && unwind_elf_part(elf, start, start + 1, &part))
			filler->endings[filler->ending_count++] = part.offset;
	}
	ARRAY_SORT(filler->endings, filler->ending_count, by_place);
}

int unwind_add_prologues(int fd, const struct unwind_elf *elf, struct unwind_table *table)
{
	struct filler filler = {.from = table, .left = GAP_MOST, .fd = fd};
	int ret;

	if (!table->row_count || table->word_size != 8 || table->rule_count < UNWIND_FIRST_RULE)
		return 0;
	find_endings(&filler, elf);
	ret = fill_all(&filler, elf);
	if (!ret && (!filler.added || filler.added > ROWS_MOST))
		ret = -EINVAL;
	if (!ret)
		ret = add_rules(table, &filler.rules);
	unwind_rules_finish(&filler.rules);
	free(filler.rules.items);
	if (ret) {
		free(filler.rows);
		return ret == -ENOMEM ? ret : 0;
	}
	free(table->rows);
	table->rows = filler.rows;
	table->row_count = filler.count;
	return 0;
}
