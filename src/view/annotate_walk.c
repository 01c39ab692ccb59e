// SPDX-License-Identifier: BSD-2-Clause
#include "view/annotate_section.h"

#include <errno.h>
#include <stdlib.h>

/* A function by source line, file by file: what is shown, in order. */

/* Lines of one file whose numbers lie no further apart than this belong together: what lies between
 * them is shown too.  Others are parts of other functions, inlined from further away. */
#define APART 40

/* A line to show: of the annotation, or one between. */
struct entry {
	uint32_t number;
	const struct annotated_line *line; /* NULL: it has no code */
};

struct walk {
	const struct annotate_section *part;
	const struct annotate_source_ops *ops;
	void *context;
	bool *marked; /* annotate_mark() of the annotation's lines */
	const struct annotated_file *file;
};

static uint64_t ticks_of(const struct entry *entry)
{
	return entry->line ? entry->line->ticks : 0;
}

/* The run of entries from FIRST to END that is not shown. */
static int tell_fold(const struct walk *walk, const struct entry *entries, size_t first, size_t end)
{
	uint64_t ticks = 0;

	for (size_t i = first; i < end; i++)
		ticks += ticks_of(&entries[i]);
	return walk->ops->fold(walk->context, end - first, ticks);
}

static int tell_entries(const struct walk *walk, const struct entry *entries, size_t count)
{
	bool *marked = calloc(count + 1, sizeof(*marked)), *shown = NULL;
	size_t end;
	int ret = 0;

	for (size_t i = 0; i < count && marked; i++)
		marked[i] = entries[i].line &&
			    walk->marked[entries[i].line - walk->part->annotation->lines];
	if (marked)
		shown = annotate_choose(walk->part->style, marked, count);
	free(marked);
	if (!shown)
		return -ENOMEM;
	for (size_t i = 0; i < count && !ret; i = end) {
		end = i + 1;
		if (shown[i]) {
			ret = walk->ops->line(walk->context, walk->file, entries[i].number,
					      entries[i].line);
			continue;
		}
		while (end < count && !shown[end])
			end++;
		ret = tell_fold(walk, entries, i, end);
	}
	free(shown);
	return ret;
}

/* The lines FIRST to END of the annotation, which lie close to each other, and those between. Where
 * the text is not to be had, those without samples tell nothing. */
static int tell_block(const struct walk *walk, const struct annotated_line *first,
		      const struct annotated_line *end)
{
	size_t count = end[-1].number - first->number + 1, used = 0;
	bool has_text = walk->file->source.state == SOURCE_READ;
	struct entry *entries = calloc(count, sizeof(*entries));
	const struct annotated_line *line = first;
	int ret;

	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct entry entry = {.number = first->number + (uint32_t)i};

		if (line < end && line->number == entry.number)
			entry.line = line++;
		if (has_text || ticks_of(&entry) || (walk->part->style->all && entry.line))
			entries[used++] = entry;
	}
	ret = tell_entries(walk, entries, used);
	free(entries);
	return ret;
}

static bool is_hit(const struct annotated_line *first, const struct annotated_line *end)
{
	for (; first < end; first++)
		if (first->ticks)
			return true;
	return false;
}

static int tell_file(const struct walk *walk, const struct annotated_line *first,
		     const struct annotated_line *end)
{
	const struct annotated_line *next;
	int ret = walk->ops->file(walk->context, walk->file);

	for (; first < end && !ret; first = next) {
		next = first + 1;
		while (next < end && next->number - next[-1].number <= APART && next[-1].number)
			next++;
		if (walk->part->style->all || is_hit(first, next))
			ret = tell_block(walk, first, next);
	}
	return ret;
}

static int tell_files(struct walk *walk)
{
	const struct annotation *annotation = walk->part->annotation;
	size_t end;
	int ret = 0;

	for (size_t i = 0; i < annotation->line_count && !ret; i = end) {
		uint32_t file = annotation->lines[i].file;

		for (end = i; end < annotation->line_count; end++)
			if (annotation->lines[end].file != file)
				break;
		walk->file = &annotation->files[file];
		if (walk->part->style->all || walk->file->ticks)
			ret = tell_file(walk, &annotation->lines[i], &annotation->lines[end]);
	}
	return ret;
}

int annotate_source_walk(const struct annotate_section *part, const struct annotate_source_ops *ops,
			 void *context)
{
	const struct annotation *annotation = part->annotation;
	struct walk walk = {.part = part, .ops = ops, .context = context};
	uint64_t *ticks = calloc(annotation->line_count + 1, sizeof(*ticks));
	int ret;

	if (!ticks)
		return -ENOMEM;
	for (size_t i = 0; i < annotation->line_count; i++)
		ticks[i] = annotation->lines[i].ticks;
	walk.marked = annotate_mark(part->style, ticks, annotation->line_count);
	free(ticks);
	ret = walk.marked ? tell_files(&walk) : -ENOMEM;
	free(walk.marked);
	return ret;
}
