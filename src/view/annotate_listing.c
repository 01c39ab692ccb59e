// SPDX-License-Identifier: BSD-2-Clause
#include "view/annotate_section.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Which rows of a function are shown. */

static int compare_falling(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a > b ? -1 : a < b;
}

/* The least samples of one of the HOTTEST of COUNT rows, and how many rows with just so many are
 * among them.  Returns 0 or -ENOMEM. */
static int find_least(const uint64_t *ticks, size_t count, size_t hottest, uint64_t *ret_least,
		      size_t *ret_spare)
{
	uint64_t *sorted = calloc(count, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, ticks, count * sizeof(*sorted));
	ARRAY_SORT(sorted, count, compare_falling);
	*ret_least = sorted[hottest - 1];
	*ret_spare = 0;
	while (*ret_spare < hottest && sorted[hottest - 1 - *ret_spare] == *ret_least)
		(*ret_spare)++;
	free(sorted);
	return 0;
}

bool *annotate_mark(const struct annotate_style *style, const uint64_t *ticks, size_t count)
{
	bool *marked = calloc(count + 1, sizeof(*marked));
	size_t spare = SIZE_MAX;
	uint64_t least = 1;

	if (!marked)
		return NULL;
	if (style->hottest && style->hottest < count &&
	    find_least(ticks, count, style->hottest, &least, &spare)) {
		free(marked);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		marked[i] = ticks[i] && (ticks[i] > least || (ticks[i] == least && spare));
		spare -= marked[i] && ticks[i] == least;
	}
	return marked;
}

bool *annotate_choose(const struct annotate_style *style, const bool *marked, size_t count)
{
	bool *shown = calloc(count + 1, sizeof(*shown));

	if (!shown)
		return NULL;
	for (size_t i = 0, to = 0; i < count; i++) {
		size_t ahead = marked[i] && style->context < i ? i - style->context : 0;

		if (marked[i]) {
			to = i + style->context + 1;
			for (size_t k = ahead; k < i; k++)
				shown[k] = true;
		}
		shown[i] = style->all || i < to;
	}
	for (size_t i = 0; i < count; i++)
		if ((!i || shown[i - 1]) && (i + 1 == count || shown[i + 1]))
			shown[i] = true;
	return shown;
}

const char *annotate_text(const struct annotation *annotation, uint32_t line)
{
	return source_file_line(&annotation->files[annotation->lines[line].file].source,
				annotation->lines[line].number);
}

static bool *mark_rows(const struct annotate_section *part)
{
	const struct annotation *annotation = part->annotation;
	const struct loops *loops = &annotation->loops;
	uint64_t *ticks = calloc(annotation->row_count + 1, sizeof(*ticks));
	bool *marked;

	if (!ticks)
		return NULL;
	for (size_t i = 0; i < annotation->row_count; i++)
		ticks[i] = annotation->rows[i].ticks;
	marked = annotate_mark(part->style, ticks, annotation->row_count);
	free(ticks);
	/* The whole way round the hot loop is worth a look: both of its ends. */
	if (marked && loops->items && loops->hot != LOOP_NONE) {
		marked[loops->items[loops->hot].first] = true;
		marked[loops->items[loops->hot].last] = true;
	}
	return marked;
}

static int choose_rows(const struct annotate_section *part, struct annotate_listing *listing)
{
	size_t count = part->annotation->row_count;
	bool *marked = mark_rows(part);

	if (!marked)
		return -ENOMEM;
	listing->shown = annotate_choose(part->style, marked, count);
	listing->visible = calloc(count + 1, sizeof(*listing->visible));
	free(marked);
	if (!listing->shown || !listing->visible)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		/* A run that is folded is one row. */
		if (listing->shown[i] || !i || listing->shown[i - 1])
			listing->visible_count++;
		listing->visible[i] = (uint32_t)listing->visible_count - 1;
	}
	return 0;
}

/* Jumps whose both ends are shown. */
static int draw_jumps(const struct annotate_section *part, struct annotate_listing *listing)
{
	const struct annotation *annotation = part->annotation;
	struct jump *list = calloc(annotation->row_count + 1, sizeof(*list));
	size_t count = 0;
	int ret;

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < annotation->row_count && annotation->steps; i++) {
		uint32_t to = annotation->steps[i].target;
		enum disasm_flow flow = annotation->steps[i].flow;

		if (to == GRAPH_NONE || !listing->shown[i] || !listing->shown[to] ||
		    (flow != FLOW_BRANCH && flow != FLOW_JUMP))
			continue;
		list[count++] = (struct jump){listing->visible[i], listing->visible[to]};
	}
	ret = jumps_draw(list, count, listing->visible_count, part->section->style->utf8,
			 &listing->jumps);
	free(list);
	return ret;
}

/* The column is narrow: it has no room for blanks that tell nothing. */
static size_t common_indent(const struct annotation *annotation)
{
	size_t indent = SIZE_MAX;

	for (uint32_t i = 0; i < annotation->row_count; i++) {
		const char *text = annotate_text(annotation, annotation->rows[i].line);
		size_t blanks = text ? strspn(text, " ") : SIZE_MAX;

		if (blanks < indent && text[blanks])
			indent = blanks;
	}
	return indent;
}

int annotate_listing_init(const struct annotate_section *part, struct annotate_listing *ret_listing)
{
	int ret;

	*ret_listing = (struct annotate_listing){.indent = common_indent(part->annotation)};
	ret = choose_rows(part, ret_listing);
	if (!ret)
		ret = draw_jumps(part, ret_listing);
	if (ret)
		annotate_listing_done(ret_listing);
	return ret;
}

void annotate_listing_done(struct annotate_listing *listing)
{
	free(listing->shown);
	free(listing->visible);
	jumps_done(&listing->jumps);
	*listing = (struct annotate_listing){0};
}
