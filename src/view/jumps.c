// SPDX-License-Identifier: BSD-2-Clause
#include "view/jumps.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More are not told apart by an eye. */
#define LANES 6

/* Which of its four sides a line leaves a cell by, and whether it ends there in an arrow head. */
enum {
	UP = 1,
	DOWN = 2,
	LEFT = 4,
	RIGHT = 8,
	HEAD = 16,
};

/* A lane is a column; lane 0 is the one next to the text.  Behind it each row has one cell for the
 * arrow head. */
#define ROW_CELLS (LANES + 1)

static uint8_t *cell_at(const struct jumps *jumps, size_t row, size_t lane)
{
	return &jumps->cells[row * ROW_CELLS + lane];
}

#define HEAD_CELL LANES

static uint32_t top(const struct jump *jump)
{
	return jump->from < jump->to ? jump->from : jump->to;
}

static uint32_t bottom(const struct jump *jump)
{
	return jump->from < jump->to ? jump->to : jump->from;
}

static int compare(const void *left, const void *right)
{
	const struct jump *a = left, *b = right;
	uint32_t length_a = bottom(a) - top(a), length_b = bottom(b) - top(b);

	if (length_a != length_b)
		return length_a < length_b ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* A line down LANE may not touch another one there. */
static bool is_free(const struct jumps *jumps, const struct jump *jump, size_t lane)
{
	for (uint32_t row = top(jump); row <= bottom(jump); row++)
		if (*cell_at(jumps, row, lane) & (UP | DOWN))
			return false;
	return true;
}

static void draw_across(const struct jumps *jumps, size_t row, size_t lane, bool head)
{
	*cell_at(jumps, row, lane) |= RIGHT;
	for (size_t i = 0; i < lane; i++)
		*cell_at(jumps, row, i) |= LEFT | RIGHT;
	*cell_at(jumps, row, HEAD_CELL) |= LEFT | (head ? HEAD : 0);
}

static void draw(struct jumps *jumps, const struct jump *jump, size_t lane)
{
	for (uint32_t row = top(jump); row < bottom(jump); row++) {
		*cell_at(jumps, row, lane) |= DOWN;
		*cell_at(jumps, row + 1, lane) |= UP;
	}
	draw_across(jumps, jump->from, lane, /* head= */ false);
	draw_across(jumps, jump->to, lane, /* head= */ true);
	if (lane >= jumps->lanes)
		jumps->lanes = lane + 1;
}

int jumps_draw(struct jump *list, size_t count, size_t rows, bool utf8, struct jumps *ret_jumps)
{
	*ret_jumps = (struct jumps){.rows = rows, .utf8 = utf8};
	ret_jumps->cells = calloc(rows + 1, ROW_CELLS);
	if (!ret_jumps->cells)
		return -ENOMEM;
	ARRAY_SORT(list, count, compare);
	for (size_t i = 0; i < count; i++) {
		size_t lane = 0;

		if (list[i].from == list[i].to)
			continue;
		while (lane < LANES && !is_free(ret_jumps, &list[i], lane))
			lane++;
		if (lane < LANES)
			draw(ret_jumps, &list[i], lane);
	}
	return 0;
}

void jumps_done(struct jumps *jumps)
{
	free(jumps->cells);
	*jumps = (struct jumps){0};
}

static const char *utf8_mark(uint8_t cell)
{
	static const char *const marks[] = {
		[0] = " ",
		[UP | DOWN] = "│",
		[LEFT | RIGHT] = "─",
		[DOWN | RIGHT] = "╭",
		[UP | RIGHT] = "╰",
		[UP | DOWN | RIGHT] = "├",
		[UP | DOWN | LEFT | RIGHT] = "┼",
		[DOWN | LEFT | RIGHT] = "┬",
		[UP | LEFT | RIGHT] = "┴",
	};

	if (cell & HEAD)
		return "▸";
	if (cell == LEFT)
		return "─";
	return cell < ARRAY_LENGTH(marks) && marks[cell] ? marks[cell] : " ";
}

static const char *ascii_mark(uint8_t cell)
{
	if (cell & HEAD)
		return ">";
	if (!(cell & (UP | DOWN)))
		return cell ? "-" : " ";
	if (!(cell & RIGHT))
		return "|";
	if (cell & LEFT || (cell & UP && cell & DOWN))
		return "+";
	return cell & DOWN ? "." : "`";
}

void jumps_text(const struct jumps *jumps, size_t row, char text[JUMPS_TEXT])
{
	char *to = text;

	*to = '\0';
	if (!jumps->lanes)
		return;
	for (size_t i = 0; i <= jumps->lanes; i++) {
		size_t lane = i < jumps->lanes ? jumps->lanes - 1 - i : HEAD_CELL;
		uint8_t cell = *cell_at(jumps, row, lane);

		to = stpcpy(to, jumps->utf8 ? utf8_mark(cell) : ascii_mark(cell));
	}
	(void)stpcpy(to, " ");
}
