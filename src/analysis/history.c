// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/history.h"

#include "base/array.h"

#include <errno.h>
#include <string.h>

void history_step(struct history *history)
{
	history->moment++;
}

/* The moments from the last one that it was told to the one before this. */
static void skip_moments(struct history_row *row, uint64_t moment)
{
	uint64_t missed = moment - row->moment;

	for (uint64_t i = 1; i < missed && i <= HISTORY_MOMENTS; i++)
		row->grown[(moment - i) % HISTORY_MOMENTS] = 0;
}

int history_tell(struct history *history, const struct key *key, uint64_t count, bool is_new,
		 uint32_t *ret_number)
{
	struct history_row *row;
	int ret = keyset_add(&history->keys, key, ret_number);

	if (ret < 0 || ARRAY_RESERVE(history->rows, history->row_capacity, *ret_number + 1UL))
		return -ENOMEM;
	row = &history->rows[*ret_number];
	if (!ret && row->moment == history->moment)
		return 0;
	if (ret && (!is_new || history->moment == 1))
		row->count = count;
	skip_moments(row, history->moment);
	row->grown[history->moment % HISTORY_MOMENTS] = count > row->count ? count - row->count : 0;
	row->count = count;
	row->moment = history->moment;
	return 0;
}

uint64_t history_grown(const struct history *history, uint32_t number, unsigned ago)
{
	const struct history_row *row = &history->rows[number];
	uint64_t moment = history->moment - ago;

	if (ago >= HISTORY_MOMENTS || ago >= history->moment || moment > row->moment)
		return 0;
	return row->grown[moment % HISTORY_MOMENTS];
}

void history_done(struct history *history)
{
	keyset_done(&history->keys);
	free(history->rows);
	memset(history, 0, sizeof(*history));
}
