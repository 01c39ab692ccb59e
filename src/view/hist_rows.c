// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "view/bar.h"
#include "view/heat.h"
#include "view/hist_section.h"
#include "view/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* From low to high addresses, object by object; the bars stand between address and name. */

#define BAR_USUAL 40
#define BAR_LEAST 8
/* What the other columns take at least. */
#define OTHERS 74

struct table_view {
	const struct hist_section *part;
	struct layout layout;
	size_t bar;   /* columns of a whole bar */
	double scale; /* the share that it stands for */
};

static int add_blank(struct layout *layout)
{
	return layout_add(layout, INK_NONE, "%s", "");
}

/* Share, cumulated share and ticks. */
static int add_numbers(struct table_view *view, uint64_t ticks, uint64_t sum, const char *ink)
{
	double total = (double)view->part->hist->total;
	int r = 0;

	if (view->part->section->ranks) {
		r = layout_add(&view->layout, ink, "%s",
			       ticks ? text_share((double)ticks / total).text : "");
		if (!r)
			r = sum ? layout_add(&view->layout, INK_FAINT, "%s",
					     text_share((double)sum / total).text)
				: add_blank(&view->layout);
	}
	return r ? r : layout_add(&view->layout, ink, "%s", ticks ? text_count(ticks).text : "");
}

static int add_object(struct table_view *view, const struct hist_object *object)
{
	char *text = hist_object_text(object, /* all= */ false);
	int r = text ? add_numbers(view, object->ticks, 0, INK_STRONG) : -ENOMEM;

	for (int i = 0; i < 2 && !r; i++)
		r = add_blank(&view->layout);
	if (!r)
		r = layout_add(&view->layout, section_ink(object->class), "%s: %s", object->object,
			       text);
	free(text);
	return r;
}

static int add_bar(struct table_view *view, const struct hist_row *row, const char *ink)
{
	char text[BAR_TEXT];

	if (row->is_fold)
		return add_blank(&view->layout);
	bar_text(view->part->section->marks, view->bar, view->scale,
		 interval_of_share(row->ticks, view->part->hist->total), text);
	return layout_add(&view->layout, ink, "%s", text);
}

static int add_row(struct table_view *view, const struct hist_row *row)
{
	const struct report_style *page = view->part->section->style;
	double heat = row->is_fold ? 0 : heat_of(row->ticks, view->part->hist->peak);
	const char *ink = heat_ink(heat, page->true_color);
	char *name = hist_row_name(row);
	int r = name ? add_numbers(view, row->ticks, row->sum, ink) : -ENOMEM;

	if (!r)
		r = layout_add(&view->layout, INK_FAINT, "%" PRIx64, row->start);
	if (!r)
		r = add_bar(view, row, ink);
	if (!r && row->is_fold)
		r = layout_add(&view->layout, INK_FAINT, "%s %s", page->utf8 ? "⋮" : "...", name);
	else if (!r)
		r = layout_add_function(&view->layout, INK_NONE, "", name, "");
	free(name);
	return r;
}

static int add_all(struct table_view *view)
{
	const struct hist *hist = view->part->hist;
	int r = 0;

	for (size_t i = 0; i < hist->object_count && !r; i++) {
		const struct hist_object *object = &hist->objects[i];

		r = add_object(view, object);
		for (size_t k = 0; k < object->row_count && !r; k++)
			r = add_row(view, &object->rows[k]);
	}
	return r;
}

static size_t bar_columns(unsigned width)
{
	if (!width || width >= OTHERS + BAR_USUAL)
		return BAR_USUAL;
	return width > OTHERS + BAR_LEAST ? width - OTHERS : BAR_LEAST;
}

int hist_rows_print(const struct hist_section *part)
{
	const struct report_style *page = part->section->style;
	struct table_view view = {.part = part, .bar = bar_columns(page->width)};
	struct layout_column columns[6];
	size_t count = 0;
	int r;

	if (!part->hist->object_count)
		return 0;
	view.scale = interval_of_share(part->hist->peak, part->hist->total).high;
	if (part->section->ranks) {
		columns[count++] = (struct layout_column){" share", .right = true};
		columns[count++] = (struct layout_column){"sum", .right = true};
	}
	columns[count++] = (struct layout_column){"ticks", .right = true};
	columns[count++] = (struct layout_column){"address", .right = true};
	columns[count++] = (struct layout_column){""};
	columns[count++] = (struct layout_column){"function", .shrinks = 16};
	r = layout_init(&view.layout, columns, count, page->utf8);
	if (!r)
		r = add_all(&view);
	if (!r) {
		layout_fit(&view.layout, page->width);
		r = layout_print(part->section->out, &view.layout, page->color);
	}
	layout_done(&view.layout);
	(void)fputc('\n', part->section->out);
	return r;
}
