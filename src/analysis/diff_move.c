// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff_private.h"

#include <stdlib.h>
#include <string.h>

/* A function that one file has no more and another has now. */

/* With fewer samples on a side, that it had none on the other is more likely chance. */
#define MOVE_MIN 10

static bool is_only(const struct diff_row *row, enum diff_side side)
{
	return row->parts[side].ticks >= MOVE_MIN && !row->parts[!side].ticks;
}

/* ROW's counterpart on the other SIDE, if it has just one: its index, or row_count. */
static size_t counterpart(const struct diff *diff, const struct diff_row *row, enum diff_side side)
{
	size_t found = diff->row_count;

	for (size_t i = 0; i < diff->row_count; i++) {
		if (!is_only(&diff->rows[i], side) ||
		    strcmp(diff->rows[i].function, row->function) != 0)
			continue;
		if (found != diff->row_count)
			return diff->row_count;
		found = i;
	}
	return found;
}

/* FROM's side before becomes TO's, and FROM goes. */
static void move_row(struct differ *differ, size_t to, size_t from)
{
	struct diff *diff = differ->diff;
	size_t runs = differ->run_count, last = diff->row_count - 1;

	diff->rows[to].parts[DIFF_BEFORE] = diff->rows[from].parts[DIFF_BEFORE];
	diff->rows[to].moved_from = diff->rows[from].object;
	for (size_t run = 0; run < runs; run++)
		differ->ticks[to * runs + run] += differ->ticks[from * runs + run];
	diff->rows[from] = diff->rows[last];
	memmove(&differ->ticks[from * runs], &differ->ticks[last * runs],
		runs * sizeof(*differ->ticks));
	diff->row_count--;
}

void diff_rows_move(struct differ *differ)
{
	struct diff *diff = differ->diff;

	for (size_t i = 0; i < diff->row_count; i++) {
		const struct diff_row *row = &diff->rows[i];
		size_t from;

		if (!is_only(row, DIFF_AFTER) || row->bare ||
		    counterpart(diff, row, DIFF_AFTER) != i)
			continue;
		from = counterpart(diff, row, DIFF_BEFORE);
		if (from == diff->row_count)
			continue;
		move_row(differ, i, from);
		/* The last row has taken another place: begin anew. */
		i = SIZE_MAX;
	}
}
