/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/json.h"
#include "view/layout.h"
#include "view/report.h"

/* The table in which an analysis ends.  A view names its columns, says which of them are shown in
 * which order, and fills the cells of one row after the other; text, JSON, CSV and Markdown are
 * written from that, and the tables of a page. */

enum grid_type {
	GRID_TEXT,
	GRID_FUNCTION, /* text that is shortened as a function's name */
	GRID_CODE,     /* text of a program */
	GRID_COUNT,    /* "1,234" for eyes */
	GRID_NUMBER,   /* "1234", blank for 0: not known */
	GRID_ADDRESS,  /* "0x4d2", the same */
	GRID_OFFSET,   /* "4d2" */
	GRID_TICKS,    /* a count with its share of the grid's total and the share's interval */
	GRID_SHARE,    /* a count, of which eyes see its share of the total, blank for 0 */
	GRID_TIME,     /* nanoseconds, "13.91 s" for eyes */
	GRID_REAL,
	GRID_BOOL,
};

struct grid_column {
	const char *key;   /* its name in JSON and CSV */
	const char *title; /* its title for eyes; NULL: the key */
	enum grid_type type;
	bool right;	   /* text that is a number */
	size_t shrinks;	   /* layout.h */
	const char *group; /* the object that it is in, in JSON; NULL: none */
	const char *class; /* of its cells on a page, "f" for the row's name; NULL: a number's */
	const char *sort;  /* by which key a page sorts rows by it; NULL: it does not */
};

/* A zeroed cell is blank for eyes, and JSON leaves its text out. */
struct grid_cell {
	const char *text;
	const char *before, *behind; /* what stands around it for eyes; NULL: nothing */
	const char *ink;	     /* of samples: NULL for the usual inks */
	const char *link;	     /* on a page, to what of it */
	const char *beside;	     /* on a narrow page, what another column has on a wide one */
	uint64_t count;
	double real;
	bool blank; /* there is no number */
	bool plain; /* Markdown: not code */
};

/* A row of a page. */
struct grid_mark {
	const char *id, *class; /* NULL: none */
};

#define GRID_COLUMNS 40
#define GRID_SCRATCH 4096

struct grid {
	FILE *out;
	const struct report_style *style;
	const struct grid_column *columns; /* from 1 on */
	uint64_t total;			   /* what shares are of */
	bool no_interval;		   /* text: shares alone */
	const char *key;		   /* JSON: the member that it is */
	struct json *json;
	double scale;  /* a page: the share that a whole bar stands for; 0: no bars */
	uint64_t peak; /* a page: rows are as hot as their samples beside it; 0: no heat */

	/* To be filled before each grid_row(), by the columns' numbers; it is cleared by that. */
	struct grid_cell cells[GRID_COLUMNS];
	struct grid_mark row;

	/* The grid's own. */
	unsigned char order[GRID_COLUMNS];
	size_t count, row_count;
	const char *group; /* JSON: the object that is open */
	bool in_foot;
	struct layout layout;
	struct layout_column titles[GRID_COLUMNS + 2];
	char scratch[GRID_SCRATCH];
	size_t scratch_used;
	int ret;
};

/* Show the column, those from FIRST to LAST, or all of ORDER to its 0, behind those so far. */
void grid_add_column(struct grid *grid, unsigned column);
void grid_add_range(struct grid *grid, unsigned first, unsigned last);
void grid_add_columns(struct grid *grid, const unsigned char *order);

/* Begin the table: its titles. */
void grid_begin(struct grid *grid);

/* Text for a cell of the row at hand; what is too long is cut. */
const char *grid_format(struct grid *grid, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The cells are a row.  In JSON its object is open to further members until the next call. */
void grid_row(struct grid *grid);

/* The rows that follow are a page's sums: they have no interval. */
void grid_begin_foot(struct grid *grid);

/* The table is whole.  Returns 0 or -ENOMEM, also for what went wrong before. */
int grid_end(struct grid *grid);

/* "samples", and their "share" of TOTAL with "low" and "high", the ends of its interval. */
void grid_json_ticks(struct json *json, uint64_t ticks, uint64_t total);

/* TEXT as a CSV field, quoted where it must be. */
void csv_print_field(FILE *out, const char *text);
