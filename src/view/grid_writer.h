/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "view/grid.h"

/* The forms of a grid: how each begins the table, a row and a cell of it, and how each ends them.
 * What is NULL writes nothing. */

struct grid_writer {
	void (*begin)(struct grid *grid);
	void (*begin_row)(struct grid *grid);
	void (*cell)(struct grid *grid, const struct grid_column *column,
		     const struct grid_cell *cell);
	void (*end_row)(struct grid *grid);
	void (*end)(struct grid *grid);
};

extern const struct grid_writer grid_json, grid_csv, grid_markdown, grid_html;

/* Is TICKS of the total to be a share: are there enough? */
bool grid_ranks(const struct grid *grid);
double grid_share(const struct grid *grid, uint64_t ticks);

const char *grid_title(const struct grid_column *column);

/* Its cells are text, and not a number. */
bool grid_is_text(const struct grid_column *column);

/* The text of a number for eyes. */
const char *grid_number(struct grid *grid, enum grid_type type, uint64_t count);

static inline const char *grid_or_none(const char *text)
{
	return text ? text : "";
}
