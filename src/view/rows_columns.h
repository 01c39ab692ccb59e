/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "view/grid.h"
#include "view/section.h"

/* The columns of a table's rows (rows_print()). */

enum rows_column {
	COLUMN_TICKS = 1,
	COLUMN_NAME,
	COLUMN_FUNCTION,
	COLUMN_OBJECT,
	COLUMN_PATH,
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_ADDRESS,
	COLUMN_PID,
	COLUMN_TID,
	COLUMN_CPU,
	COLUMN_CGROUP,
	COLUMN_TITLE,
	COLUMN_CLASS,
	COLUMN_INLINED,
	COLUMN_PLACE, /* for eyes: the name of a line that is known */
	COLUMN_BAR,
	COLUMN_TOTAL,
	COLUMN_TOTAL_COUNT, /* CSV: the same in columns of their own names */
	COLUMN_TOTAL_LOW,
	COLUMN_TOTAL_HIGH,
	COLUMN_SELF_SHARE, /* for eyes: of all of the time of threads */
	COLUMN_TOTAL_SHARE,
	COLUMN_RUNNING,
	COLUMN_QUEUED,
	COLUMN_BLOCKED,
	COLUMN_IDLE,
	COLUMN_TIMES,
	COLUMN_MEAN,
	COLUMN_SELF_NS, /* for programs, the same: own, in the order of LIFE_VALUES, */
	COLUMN_RUNNING_NS,
	COLUMN_QUEUED_NS,
	COLUMN_BLOCKED_NS,
	COLUMN_TIMES_QUEUED,
	COLUMN_TIMES_BLOCKED,
	COLUMN_TOTAL_NS, /* and total */
	COLUMN_TOTAL_RUNNING_NS,
	COLUMN_TOTAL_QUEUED_NS,
	COLUMN_TOTAL_BLOCKED_NS,
	COLUMNS,
};

extern const struct grid_column rows_usual[COLUMNS];

/* Show in GRID those that the section's table has, in the form that it is in; BARS: for eyes, with
 * bars.  Their titles and keys are in COLUMNS. */
void rows_plan(const struct section *section, bool bars, struct grid *grid,
	       struct grid_column *columns);
