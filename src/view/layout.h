/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Text in columns: as wide as what stands in them, and cut where the page is narrower. */

struct layout_column {
	const char *title;
	bool right;	/* aligned to the right */
	size_t shrinks; /* may be cut to this many columns; 0: never */
};

struct layout_cell {
	char *text;	 /* heap */
	bool has_name;	 /* of a function, */
	size_t before;	 /* which begins behind so many bytes */
	const char *ink; /* an escape sequence, "" for none; static */
};

struct layout {
	const struct layout_column *columns;
	size_t column_count;
	struct layout_cell *cells; /* row by row */
	size_t cell_count, cell_capacity;
	size_t *widths; /* of each column, after layout_fit() */
	bool utf8;
	bool limited; /* text wider than its column is cut */
};

#define INK_NONE ""
#define INK_END "\033[0m"
#define INK_STRONG "\033[1m"
#define INK_FAINT "\033[2m"
#define INK_WARN "\033[33m"
#define INK_ALARM "\033[1;31m"

/* COLUMNS is kept, not copied.  Returns 0 or -ENOMEM. */
int layout_init(struct layout *layout, const struct layout_column *columns, size_t column_count,
		bool utf8);
void layout_done(struct layout *layout);

/* Add the next cell of the row, or the first of the next row; control characters become '?'.
 * Returns 0 or -ENOMEM. */
int layout_add(struct layout *layout, const char *ink, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for NAME of a function, which is shortened as one (view/shorten.h), with what stands
 * before it and is not cut, and behind it. */
int layout_add_function(struct layout *layout, const char *ink, const char *before,
			const char *name, const char *behind);

/* Give each column its width, so that a row takes at most WIDTH columns as far as the columns can
 * shrink.  WIDTH 0 sets no limit: then nothing is cut, and a text much longer than most pushes the
 * rest of its row aside. */
void layout_fit(struct layout *layout, size_t width);

/* The columns a row takes. */
size_t layout_width(const struct layout *layout);

/* Print titles and rows, with the cells' inks if COLOR.  Returns 0 or -ENOMEM. */
int layout_print(FILE *out, const struct layout *layout, bool color);
