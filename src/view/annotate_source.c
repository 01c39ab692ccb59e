// SPDX-License-Identifier: BSD-2-Clause
#include "view/annotate_section.h"
#include "view/heat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* By source line, file by file. */

#define WIDE_SOURCE 90

/* Lines of one file whose numbers lie no further apart than this belong together: what lies between
 * them is printed too.  Others are parts of other functions, inlined from further away. */
#define APART 40

/* A line to print: of the annotation, or one between. */
struct entry {
	uint32_t number;
	const struct annotated_line *line; /* NULL: it has no code */
};

struct part {
	const struct annotate_section *of;
	const struct annotated_file *file;
	struct layout *layout;
	bool interval;
};

static int add_blank(struct layout *layout, int count)
{
	int r = 0;

	while (count-- && !r)
		r = layout_add(layout, INK_NONE, "%s", "");
	return r;
}

static int blank_ticks(const struct part *part)
{
	return annotate_add_ticks(part->layout, part->of, 0, part->interval);
}

static int add_line(const struct part *part, const struct entry *entry)
{
	const char *text = source_file_line(&part->file->source, entry->number);
	uint64_t ticks = entry->line ? entry->line->ticks : 0;
	int r = annotate_add_ticks(part->layout, part->of, ticks, part->interval);

	if (!r && !entry->number)
		r = add_blank(part->layout, 1);
	else if (!r)
		r = layout_add(part->layout, INK_FAINT, "%" PRIu32, entry->number);
	if (!r && !entry->number)
		return layout_add(part->layout, INK_FAINT, "[no line known]");
	return r ? r : layout_add(part->layout, INK_NONE, "%s", text ? text : "");
}

static int add_fold(const struct part *part, size_t count)
{
	int r = blank_ticks(part);

	if (!r)
		r = add_blank(part->layout, 1);
	return r ? r
		 : layout_add(part->layout, INK_FAINT, "%s %s line%s without ticks",
			      part->of->section->style->utf8 ? "⋮" : "...", text_count(count).text,
			      text_plural(count));
}

static int add_entries(const struct part *part, const struct entry *entries, size_t count)
{
	bool *with_ticks = calloc(count + 1, sizeof(*with_ticks)), *shown = NULL;
	size_t end;
	int r = 0;

	for (size_t i = 0; i < count && with_ticks; i++)
		with_ticks[i] = entries[i].line && entries[i].line->ticks;
	if (with_ticks)
		shown = annotate_choose(part->of->style, with_ticks, count);
	free(with_ticks);
	if (!shown)
		return -ENOMEM;
	for (size_t i = 0; i < count && !r; i = end) {
		end = i + 1;
		if (shown[i]) {
			r = add_line(part, &entries[i]);
			continue;
		}
		while (end < count && !shown[end])
			end++;
		r = add_fold(part, end - i);
	}
	free(shown);
	return r;
}

/* The lines FIRST to END of the annotation, which lie close to each other, and those between. */
static int add_block(const struct part *part, const struct annotated_line *first,
		     const struct annotated_line *end)
{
	size_t count = end[-1].number - first->number + 1;
	struct entry *entries = calloc(count, sizeof(*entries));
	int r;

	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		entries[i].number = first->number + (uint32_t)i;
	for (const struct annotated_line *line = first; line < end; line++)
		entries[line->number - first->number].line = line;
	r = add_entries(part, entries, count);
	free(entries);
	return r;
}

static int add_title(const struct part *part)
{
	const char *path = *part->file->path ? part->file->path : "[no source known]";
	int r = blank_ticks(part);

	if (!r)
		r = add_blank(part->layout, 1);
	return r ? r : layout_add(part->layout, INK_STRONG, "%s", path);
}

static bool is_hit(const struct annotated_line *first, const struct annotated_line *end)
{
	for (; first < end; first++)
		if (first->ticks)
			return true;
	return false;
}

static int add_file(const struct part *part, const struct annotated_line *first,
		    const struct annotated_line *end)
{
	const struct annotated_line *next;
	int r = add_title(part);

	for (; first < end && !r; first = next) {
		next = first + 1;
		while (next < end && next->number - next[-1].number <= APART && next[-1].number)
			next++;
		if (part->of->style->all || is_hit(first, next))
			r = add_block(part, first, next);
	}
	return r;
}

static int add_files(const struct annotate_section *part, struct layout *layout, bool interval)
{
	const struct annotation *annotation = part->annotation;
	struct part shown = {.of = part, .layout = layout, .interval = interval};
	size_t end;
	int r = 0;

	for (size_t i = 0; i < annotation->line_count && !r; i = end) {
		uint32_t file = annotation->lines[i].file;

		for (end = i; end < annotation->line_count; end++)
			if (annotation->lines[end].file != file)
				break;
		shown.file = &annotation->files[file];
		if (part->style->all || shown.file->ticks)
			r = add_file(&shown, &annotation->lines[i], &annotation->lines[end]);
	}
	return r;
}

int annotate_source_print(const struct annotate_section *part)
{
	const struct report_style *page = part->section->style;
	bool interval = annotate_has_interval(part, WIDE_SOURCE);
	struct layout_column columns[5];
	struct layout layout;
	size_t count = 0;
	int r;

	if (part->ranks)
		columns[count++] = (struct layout_column){" share", .right = true};
	if (interval)
		columns[count++] = (struct layout_column){"95 % interval", .right = true};
	columns[count++] = (struct layout_column){"ticks", .right = true};
	columns[count++] = (struct layout_column){"line", .right = true};
	columns[count++] = (struct layout_column){"source", .shrinks = 16};
	r = layout_init(&layout, columns, count, page->utf8);
	if (!r)
		r = add_files(part, &layout, interval);
	if (!r) {
		layout_fit(&layout, page->width);
		r = layout_print(part->section->out, &layout, page->color);
	}
	layout_done(&layout);
	return r;
}
