// SPDX-License-Identifier: BSD-2-Clause
#include "view/layout.h"

#include "base/array.h"
#include "view/shorten.h"
#include "view/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2

/* Without a limit a column is at most this wide; a longer text in it stands out of line. */
#define WIDEST 64

int layout_init(struct layout *layout, const struct layout_column *columns, size_t column_count,
		bool utf8)
{
	*layout = (struct layout){.columns = columns, .column_count = column_count, .utf8 = utf8};
	layout->widths = calloc(column_count, sizeof(*layout->widths));
	return layout->widths ? 0 : -ENOMEM;
}

void layout_done(struct layout *layout)
{
	for (size_t i = 0; i < layout->cell_count; i++)
		free(layout->cells[i].text);
	free(layout->cells);
	free(layout->widths);
	memset(layout, 0, sizeof(*layout));
}

/* Takes CELL with its text, whatever comes of it. */
static int add(struct layout *layout, struct layout_cell cell)
{
	if (ARRAY_RESERVE(layout->cells, layout->cell_capacity, layout->cell_count + 1)) {
		free(cell.text);
		return -ENOMEM;
	}
	text_clean(cell.text);
	layout->cells[layout->cell_count++] = cell;
	return 0;
}

int layout_add(struct layout *layout, const char *ink, const char *format, ...)
{
	struct layout_cell cell = {.ink = ink};
	va_list args;
	int ret;

	va_start(args, format);
	ret = vasprintf(&cell.text, format, args);
	va_end(args);
	return ret < 0 ? -ENOMEM : add(layout, cell);
}

int layout_add_function(struct layout *layout, const char *ink, const char *before,
			const char *name, const char *behind)
{
	struct layout_cell cell = {.ink = ink, .has_name = true, .before = strlen(before)};

	if (asprintf(&cell.text, "%s%s%s", before, name, behind) < 0)
		return -ENOMEM;
	return add(layout, cell);
}

size_t layout_width(const struct layout *layout)
{
	size_t width = GAP * (layout->column_count - 1);

	for (size_t i = 0; i < layout->column_count; i++)
		width += layout->widths[i];
	return width;
}

static void measure(struct layout *layout)
{
	for (size_t i = 0; i < layout->column_count; i++)
		layout->widths[i] = text_width(layout->columns[i].title, layout->utf8);
	for (size_t i = 0; i < layout->cell_count; i++) {
		size_t *width = &layout->widths[i % layout->column_count];
		size_t needs = text_width(layout->cells[i].text, layout->utf8);

		if (*width < needs)
			*width = needs;
	}
}

/* The column that has most to give: the widest of those above their least width. */
static size_t *widest(const struct layout *layout)
{
	size_t *best = NULL;

	for (size_t i = 0; i < layout->column_count; i++) {
		size_t *width = &layout->widths[i];

		if (layout->columns[i].shrinks && *width > layout->columns[i].shrinks &&
		    (!best || *width > *best))
			best = width;
	}
	return best;
}

void layout_fit(struct layout *layout, size_t width)
{
	size_t *column;

	layout->limited = width != 0;
	measure(layout);
	for (size_t i = 0; !width && i < layout->column_count; i++)
		if (layout->columns[i].shrinks && layout->widths[i] > WIDEST)
			layout->widths[i] = WIDEST;
	while (width && layout_width(layout) > width && (column = widest(layout)) != NULL)
		(*column)--;
}

/* One cell, whose first BEFORE bytes have no ink.  *BLANKS are due before it; blanks at the end of
 * a line are never printed. */
static void print_cell(FILE *out, const struct layout *layout, size_t column, const char *text,
		       size_t before, const char *ink, size_t *blanks)
{
	size_t width = text_width(text, layout->utf8);
	size_t pad = layout->widths[column] > width ? layout->widths[column] - width : 0;
	bool right = layout->columns[column].right;

	if (*text) {
		(void)fprintf(out, "%*s%.*s%s%s%s", (int)(*blanks + (right ? pad : 0)), "",
			      (int)before, text, ink, text + before, *ink ? INK_END : "");
		*blanks = right ? 0 : pad;
	} else {
		*blanks += pad;
	}
	*blanks += GAP;
}

static void print_titles(FILE *out, const struct layout *layout, bool color)
{
	size_t blanks = 0;

	for (size_t i = 0; i < layout->column_count; i++)
		print_cell(out, layout, i, layout->columns[i].title, /* before= */ 0,
			   color ? INK_FAINT : INK_NONE, &blanks);
	(void)fputc('\n', out);
}

/* The text of CELL in at most WIDTH columns. */
static char *cut(const struct layout *layout, const struct layout_cell *cell, size_t width)
{
	const char *name = cell->text + cell->before;
	size_t before = text_width(cell->text, layout->utf8) - text_width(name, layout->utf8);
	char *shorter, *text = NULL;

	if (!cell->has_name || before >= width)
		return text_cut(cell->text, width, layout->utf8);
	shorter = shorten_function(name, width - before, layout->utf8);
	if (shorter && asprintf(&text, "%.*s%s", (int)cell->before, cell->text, shorter) < 0)
		text = NULL;
	free(shorter);
	return text;
}

static int print_fitting(FILE *out, const struct layout *layout, size_t index, bool color,
			 size_t *blanks)
{
	const struct layout_cell *cell = &layout->cells[index];
	size_t column = index % layout->column_count;
	const char *ink = color ? cell->ink : INK_NONE;
	size_t before;
	char *text;

	if (!layout->limited || text_width(cell->text, layout->utf8) <= layout->widths[column]) {
		print_cell(out, layout, column, cell->text, cell->before, ink, blanks);
		return 0;
	}
	text = cut(layout, cell, layout->widths[column]);
	if (!text)
		return -ENOMEM;
	/* What stands before a name may have been cut, too. */
	before = strncmp(text, cell->text, cell->before) ? 0 : cell->before;
	print_cell(out, layout, column, text, before, ink, blanks);
	free(text);
	return 0;
}

int layout_print(FILE *out, const struct layout *layout, bool color)
{
	size_t blanks = 0;
	int ret = 0;

	print_titles(out, layout, color);
	for (size_t i = 0; i < layout->cell_count && ret >= 0; i++) {
		ret = print_fitting(out, layout, i, color, &blanks);
		if ((i + 1) % layout->column_count == 0) {
			(void)fputc('\n', out);
			blanks = 0;
		}
	}
	return ret;
}
