// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/prologue.h"

#include "base/array.h"
#include "unwind/function.h"
#include "unwind/rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	GAP_LEAST = 16 << 10,	/* bytes of code without a rule */
	GAP_FOLLOWED = 4 << 20, /* a larger one is not followed, nor what is more than */
	GAP_MOST = 32 << 20,	/* all in all */
	PIECE = 128 << 10,	/* of a file's code, as one compiler makes it */
	FEWEST = 16,		/* functions with a frame pointer in it */
	ROWS_MOST = 256 << 10,	/* added to a file */
	ENDINGS = 8,		/* functions called at the end, that are looked at */
	ENDING_MOST = 128,	/* bytes of what is called at the end */
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

/* The number that RULE has behind those of the table. */
static int put_number(struct filler *filler, const struct unwind_rule *rule, uint16_t *ret_number)
{
	int ret = unwind_rules_add(&filler->rules, rule, ret_number);

	if (ret || filler->from->rule_count + *ret_number > UINT16_MAX)
		return ret ? ret : -EINVAL;
	*ret_number = (uint16_t)(filler->from->rule_count + *ret_number - UNWIND_FIRST_RULE);
	return 0;
}

static int put_rule(struct filler *filler, const struct text *text, size_t at,
		    const struct motion *motion)
{
	uint32_t offset = text->offset + (uint32_t)at;
	struct unwind_rule rule = motion_rule(motion);
	uint16_t number;
	size_t back;
	int ret = put_number(filler, &rule, &number);

	if (ret)
		return ret;
	/* Where the frame pointer says it, the stack pointer may move. */
	if (filler->count > filler->function && filler->rows[filler->count - 1].rule == number)
		return 0;
	make_way(filler, offset);
	back = filler->count - filler->function;
	filler->added++;
	return put(filler, (struct unwind_row){offset, number,
					       (uint16_t)(back < UINT16_MAX ? back : UINT16_MAX)});
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

static int read_functions(struct filler *filler, struct text *text)
{
	size_t at = text->lead, end;
	int ret = 0;

	while (at < text->size && ret >= 0 && filler->added <= ROWS_MOST) {
		if (at >= text->looked)
			text_look_at_filling(text, at, PIECE);
		if (!text_begins(text, at)) {
			at++;
			continue;
		}
		ret = text_follow(text, at, &end);
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
	struct flow_code code = {
		.bytes = bytes, .offset = text.offset, .alignment = FUNCTION_ALIGNMENT};
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

/* What would take seconds to follow is followed where something ran (framed.h), if its functions
 * keep frame pointers. */
static int put_framed(struct filler *filler, uint64_t start, uint64_t end)
{
	static const struct unwind_rule rule = {
		.cfa_register = UNWIND_BP,
		.cfa_offset = 16,
		.saved = {{-8, UNWIND_AT_CFA}, {-16, UNWIND_AT_CFA}, {0, UNWIND_LOST}},
		.flags = UNWIND_FRAMED,
	};
	uint16_t number;
	int ret = put_number(filler, &rule, &number);

	if (ret)
		return ret;
	filler->added++;
	ret = put(filler, (struct unwind_row){(uint32_t)start, number, UINT16_MAX});
	return ret ? ret : put(filler, (struct unwind_row){(uint32_t)end, UNWIND_UNKNOWN, 0});
}

/* What lies from START up to END of the file.  Of one that cannot be read nothing is known. */
static int fill_gap(struct filler *filler, uint64_t start, uint64_t end)
{
	uint64_t lead = start < FUNCTION_LINE ? start : FUNCTION_LINE;
	struct text text = {.size = end - start + lead,
			    .fd = filler->fd,
			    .offset = (uint32_t)(start - lead),
			    .lead = lead};
	struct filler before = *filler;
	struct unwind_row last = {0};
	uint8_t *bytes;
	int ret = 0;

	if (end <= UINT32_MAX && end < start + GAP_LEAST)
		return fill_endings(filler, start, end);
	if (end > UINT32_MAX || end < start + GAP_LEAST)
		return 0;
	if (text.size > GAP_FOLLOWED || text.size > filler->left)
		return put_framed(filler, start, end);
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
