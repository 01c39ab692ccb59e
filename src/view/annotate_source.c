// SPDX-License-Identifier: BSD-2-Clause
#include "view/annotate_section.h"

#include <inttypes.h>

/* By source line, file by file. */

#define WIDE_SOURCE 90

struct part {
	const struct annotate_section *of;
	struct layout layout;
	bool interval, inlined;
};

static int add_blank(struct layout *layout)
{
	return layout_add(layout, INK_NONE, "%s", "");
}

/* The function that was inlined there, where the table has a column for it. */
static int add_inlined(struct part *part, const char *name)
{
	return part->inlined ? layout_add_function(&part->layout, INK_FAINT, "", name, "") : 0;
}

static int add_line(void *context, const struct annotated_file *file, uint32_t number,
		    const struct annotated_line *line)
{
	struct part *part = context;
	const char *text = source_file_line(&file->source, number);
	int ret =
		annotate_add_ticks(&part->layout, part->of, line ? line->ticks : 0, part->interval);

	if (!ret && !number)
		ret = add_blank(&part->layout);
	else if (!ret)
		ret = layout_add(&part->layout, INK_FAINT, "%" PRIu32, number);
	if (!ret && !number)
		ret = layout_add(&part->layout, INK_FAINT, "[no line known]");
	else if (!ret)
		ret = layout_add(&part->layout, INK_NONE, "%s", text ? text : "");
	return ret ? ret : add_inlined(part, line && line->inlined ? line->inlined : "");
}

static int blank_ticks(struct part *part)
{
	return annotate_add_ticks(&part->layout, part->of, 0, part->interval);
}

/* Here every line with ticks is shown. */
static int add_fold(void *context, size_t count, uint64_t ticks)
{
	struct part *part = context;
	int ret = blank_ticks(part);

	if (!ret)
		ret = add_blank(&part->layout);
	if (!ret)
		ret = layout_add(&part->layout, INK_FAINT, "%s %s line%s without samples",
				 part->of->section->style->utf8 ? "⋮" : "...",
				 text_count(count).text, text_plural(count));
	return ret ? ret : add_inlined(part, "");
}

static int add_title(void *context, const struct annotated_file *file)
{
	struct part *part = context;
	const char *path = *file->path ? file->path : "[no source known]";
	int ret = blank_ticks(part);

	if (!ret)
		ret = add_blank(&part->layout);
	if (!ret)
		ret = layout_add(&part->layout, INK_STRONG, "%s", path);
	return ret ? ret : add_inlined(part, "");
}

static const struct annotate_source_ops source_ops = {
	.file = add_title,
	.line = add_line,
	.fold = add_fold,
};

int annotate_source_print(const struct annotate_section *part)
{
	const struct report_style *page = part->section->style;
	struct part shown = {
		.of = part,
		.interval = annotate_has_interval(part, WIDE_SOURCE),
		.inlined = annotate_has_inlined(part->annotation, /* shown= */ NULL),
	};
	struct layout_column columns[6];
	size_t count = 0;
	int ret;

	if (part->ranks)
		columns[count++] = (struct layout_column){" share", .right = true};
	if (shown.interval)
		columns[count++] = (struct layout_column){"95 % interval", .right = true};
	columns[count++] = (struct layout_column){"samples", .right = true};
	columns[count++] = (struct layout_column){"line", .right = true};
	columns[count++] = (struct layout_column){"source", .shrinks = 16};
	if (shown.inlined)
		columns[count++] = (struct layout_column){"inlined", .shrinks = 12};
	ret = layout_init(&shown.layout, columns, count, page->utf8);
	if (!ret)
		ret = annotate_source_walk(part, &source_ops, &shown);
	if (!ret) {
		layout_fit(&shown.layout, page->width);
		ret = layout_print(part->section->out, &shown.layout, page->color);
	}
	layout_done(&shown.layout);
	return ret;
}
