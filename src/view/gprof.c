// SPDX-License-Identifier: BSD-2-Clause
#include "view/gprof_section.h"

#include "base/array.h"
#include "view/page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1e9
#define INDEX_WIDTH 80

/* ---- what one should know ---- */

static void print_contradiction(const struct gprof_section *section, const struct doubt *doubt)
{
	(void)fprintf(section->out,
		      ": the files contradict that its calls cost the same: %.3g %s of its own a "
		      "call in one, %.3g in another (z = %.1f)",
		      doubt->least / section->second, section->unit, doubt->most / section->second,
		      doubt->score);
}

void gprof_print_doubts(const struct gprof_section *section)
{
	const struct callgraph *graph = section->graph;

	for (size_t i = 0; i < section->doubts->count; i++) {
		const struct doubt *doubt = &section->doubts->items[i];
		const struct callgraph_node *node = &graph->nodes[doubt->node];

		if (!gprof_wants(section, node))
			continue;
		text_print(section->out, node->name);
		(void)fprintf(section->out,
			      ": %s of the time is its and below it, and is divided among %" PRIu32
			      " callers by calls alone",
			      text_share(doubt->stake / (double)graph->ticks).text, doubt->callers);
		if (doubt->contradicted)
			print_contradiction(section, doubt);
		(void)fputc('\n', section->out);
	}
}

/* ---- the index ---- */

struct named {
	const char *name; /* "" for a cycle */
	uint32_t number;
	uint32_t cycle; /* its number, from 1 on; 0: it is a function */
};

static int compare(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (a->cycle != b->cycle)
		return a->cycle < b->cycle ? -1 : 1;
	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static size_t collect(const struct gprof_section *section, struct named *named)
{
	size_t count = 0;

	for (uint32_t i = 0; i < section->entry_count; i++) {
		const struct gprof_entry *entry = &section->entries[i];

		if (entry->node == CALLGRAPH_NONE)
			named[count++] = (struct named){entry->name, i + 1, entry->cycle + 1};
		else if (gprof_wants(section, &section->graph->nodes[entry->node]))
			named[count++] = (struct named){entry->name, i + 1, 0};
	}
	ARRAY_SORT(named, count, compare);
	return count;
}

/* Returns its columns. */
static size_t print_named(const struct gprof_section *section, const struct named *named)
{
	char number[16];

	(void)snprintf(number, sizeof(number), "[%" PRIu32 "]", named->number);
	(void)fprintf(section->out, "%7s ", number);
	if (named->cycle)
		return (size_t)fprintf(section->out, "<cycle %" PRIu32 ">", named->cycle);
	text_print(section->out, named->name);
	return text_width(named->name, section->style->utf8);
}

/* Names in columns, downwards, as many as fit. */
static void print_columns(const struct gprof_section *section, const struct named *named,
			  size_t count)
{
	size_t widest = strlen("<cycle 99>"), columns, rows;

	for (size_t i = 0; i < count; i++)
		if (text_width(named[i].name, section->style->utf8) > widest)
			widest = text_width(named[i].name, section->style->utf8);
	columns = INDEX_WIDTH / (widest + 8) ? INDEX_WIDTH / (widest + 8) : 1;
	rows = (count + columns - 1) / columns;
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = row; i < count; i += rows) {
			size_t width = print_named(section, &named[i]);

			if (i + rows < count)
				(void)fprintf(section->out, "%*s",
					      width < widest ? (int)(widest - width) : 0, "");
		}
		(void)fputc('\n', section->out);
	}
}

static int print_index(const struct gprof_section *section)
{
	struct named *named = calloc(section->entry_count + 1, sizeof(*named));

	if (!named)
		return -ENOMEM;
	(void)fprintf(section->out, "%s\nIndex by function name\n\n",
		      section->style->traditional ? "\f" : "");
	print_columns(section, named, collect(section, named));
	free(named);
	return 0;
}

/* ---- the page ---- */

static int print_text(const struct gprof_section *section)
{
	const struct gprof_style *style = section->style;
	int ret = 0;

	if (!style->no_flat)
		gprof_print_flat(section);
	if (!style->no_graph) {
		(void)fputs(style->no_flat ? "" : style->traditional ? "\f\n" : "\n", section->out);
		ret = gprof_print_graph(section);
		if (ret >= 0)
			ret = print_index(section);
	}
	if (ret >= 0 && !style->traditional && section->doubts->count) {
		(void)fputc('\n', section->out);
		gprof_print_doubts(section);
	}
	return ret;
}

static int print_form(const struct gprof_section *section)
{
	switch (section->style->form) {
	case REPORT_JSON:
		return gprof_print_json(section);
	case REPORT_CSV:
		return gprof_print_csv(section);
	case REPORT_MARKDOWN:
		return gprof_print_markdown(section);
	default:
		return print_text(section);
	}
}

int gprof_print(FILE *out, const struct gprof *gprof, const struct gprof_style *style)
{
	uint64_t period = gprof->profile->facts.period_ns;
	struct gprof_section section = {
		.out = out,
		.profile = gprof->profile,
		.graph = gprof->graph,
		.doubts = gprof->doubts,
		.style = style,
		.marks = text_marks(style->utf8),
		.second = period ? SECOND_NS / (double)period : 1,
		.unit = period ? "seconds" : "samples",
	};
	int ret = gprof_number(&section);

	if (ret >= 0)
		ret = print_form(&section);
	gprof_unnumber(&section);
	return ret < 0 ? ret : page_flush(out);
}
