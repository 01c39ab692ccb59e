// SPDX-License-Identifier: BSD-2-Clause
#include "view/compare_private.h"

#include "base/array.h"
#include "view/layout.h"
#include "view/markdown.h"
#include "view/section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INK_SLOWER "\033[1;31m"
#define INK_FASTER "\033[1;32m"

/* What a column shows of a row. */
enum fact {
	FACT_BEFORE,
	FACT_AFTER,
	FACT_CHANGE,
	FACT_RELATIVE,
	FACT_INTERVAL,
	FACT_PROBABILITY,
	FACT_LINE,
	FACT_FUNCTION,
	FACT_OBJECT,
	FACT_PATH,
	FACT_NOTE,
	FACTS,
};

static const struct layout_column titles[FACTS] = {
	[FACT_BEFORE] = {"before", .right = true},
	[FACT_AFTER] = {"after", .right = true},
	[FACT_CHANGE] = {"change", .right = true},
	[FACT_RELATIVE] = {"", .right = true},
	[FACT_INTERVAL] = {"95 % interval", .right = true},
	[FACT_PROBABILITY] = {"p  ", .right = true},
	[FACT_LINE] = {"line", .shrinks = 8},
	[FACT_FUNCTION] = {"function", .shrinks = 12},
	[FACT_OBJECT] = {"object", .shrinks = 8},
	[FACT_PATH] = {"path", .shrinks = 12},
	[FACT_NOTE] = {"", .shrinks = 8},
};

struct plan {
	enum fact facts[FACTS];
	struct layout_column columns[FACTS];
	size_t count;
};

/* A function that is inlined has no ticks in its row, a line has them all. */
static bool is_inlined(const struct diff_part *part)
{
	return part->inlined && (!part->ticks || part->inlined == part->ticks);
}

static void note_inlining(const struct diff_row *row, char *text, size_t size)
{
	const struct diff_part *before = &row->parts[DIFF_BEFORE], *after = &row->parts[DIFF_AFTER];
	bool was = is_inlined(before), is = is_inlined(after);

	if (is && !before->inlined)
		(void)snprintf(text, size, "now inlined into %s", after->into);
	else if (was && !after->inlined)
		(void)snprintf(text, size, "no longer inlined into %s", before->into);
	else if (was && is && strcmp(before->into, after->into) != 0)
		(void)snprintf(text, size, "inlined into %s, was into %s", after->into,
			       before->into);
}

/* What is to be said of a row besides its numbers: not that it is where it was. */
static void note(const struct diff_row *row, char *text, size_t size)
{
	*text = '\0';
	note_inlining(row, text, size);
	if (*text)
		return;
	if (row->match == DIFF_NEW)
		(void)snprintf(text, size, "new");
	else if (row->match == DIFF_GONE)
		(void)snprintf(text, size, "gone");
	else if (row->match == DIFF_MOVED)
		(void)snprintf(text, size, "moved from %s", row->moved_from);
}

static bool any_note(const struct comparison *comparison)
{
	char text[1024];

	for (size_t i = 0; i < comparison_rows(comparison); i++) {
		note(&comparison->diff->rows[i], text, sizeof(text));
		if (*text)
			return true;
	}
	return false;
}

static void plan_column(struct plan *plan, enum fact fact)
{
	plan->facts[plan->count] = fact;
	plan->columns[plan->count++] = titles[fact];
}

static void plan_columns(const struct comparison *comparison, struct plan *plan)
{
	enum table_by by = comparison->diff->by;

	*plan = (struct plan){.count = 0};
	plan_column(plan, FACT_BEFORE);
	plan_column(plan, FACT_AFTER);
	plan_column(plan, FACT_CHANGE);
	if (comparison->diff->per != DIFF_PER_TICKS)
		plan_column(plan, FACT_RELATIVE);
	plan_column(plan, FACT_INTERVAL);
	plan_column(plan, FACT_PROBABILITY);
	if (by == TABLE_BY_LINE)
		plan_column(plan, FACT_LINE);
	if (by != TABLE_BY_OBJECT)
		plan_column(plan, FACT_FUNCTION);
	plan_column(plan, FACT_OBJECT);
	if (by == TABLE_BY_OBJECT)
		plan_column(plan, FACT_PATH);
	if (any_note(comparison))
		plan_column(plan, FACT_NOTE);
}

/* What changed is red or green, what may be chance is faint. */
static const char *ink_of(const struct diff_row *row, enum fact fact)
{
	if (fact == FACT_OBJECT || fact == FACT_PATH)
		return section_ink(row->class);
	if (fact == FACT_NOTE)
		return INK_WARN;
	if (fact > FACT_PROBABILITY || fact == FACT_BEFORE || fact == FACT_AFTER)
		return INK_NONE;
	if (!row->significant)
		return INK_FAINT;
	if (fact == FACT_INTERVAL)
		return INK_NONE;
	return row->change > 0 ? INK_SLOWER : INK_FASTER;
}

static int add_interval(struct layout *layout, const struct comparison *comparison,
			const struct diff_row *row)
{
	return layout_add(layout, ink_of(row, FACT_INTERVAL), "%s %s %s",
			  comparison_change(comparison, row->interval.low).text,
			  comparison->marks->to,
			  comparison_change(comparison, row->interval.high).text);
}

static int add_cell(struct layout *layout, const struct comparison *comparison,
		    const struct diff_row *row, enum fact fact)
{
	const struct diff_part *parts = row->parts;
	const char *ink = ink_of(row, fact);
	char text[1024];

	switch (fact) {
	case FACT_BEFORE:
	case FACT_AFTER:
		return layout_add(
			layout, ink, "%s",
			comparison_value(comparison, parts[fact == FACT_AFTER].value).text);
	case FACT_CHANGE:
		return layout_add(layout, ink, "%s",
				  comparison_change(comparison, row->change).text);
	case FACT_RELATIVE:
		return layout_add(layout, ink, "%s",
				  comparison_relative(parts[DIFF_BEFORE].value, row->change).text);
	case FACT_INTERVAL:
		return add_interval(layout, comparison, row);
	case FACT_PROBABILITY:
		return layout_add(layout, ink, "%s %s",
				  comparison_probability(row->probability).text,
				  row->significant ? "*" : " ");
	case FACT_LINE:
		return layout_add(layout, ink, "%s", row->line ? row->name : "");
	case FACT_FUNCTION:
		return layout_add_function(layout, ink, "", row->function, "");
	case FACT_OBJECT:
		return layout_add(layout, ink, "%s", row->object);
	case FACT_PATH:
		return layout_add(layout, ink, "%s", row->path);
	default:
		note(row, text, sizeof(text));
		return layout_add(layout, ink, "%s", text);
	}
}

static int add_rows(struct layout *layout, const struct comparison *comparison,
		    const struct plan *plan)
{
	int r = 0;

	for (size_t i = 0; i < comparison_rows(comparison) && r >= 0; i++)
		for (size_t j = 0; j < plan->count && r >= 0; j++)
			r = add_cell(layout, comparison, &comparison->diff->rows[i],
				     plan->facts[j]);
	return r;
}

static void print_markdown(FILE *out, const struct layout *layout, const struct plan *plan)
{
	for (size_t i = 0; i < layout->column_count; i++)
		(void)fprintf(out, "| %s ", layout->columns[i].title);
	(void)fputs("|\n", out);
	for (size_t i = 0; i < layout->column_count; i++)
		(void)fputs(layout->columns[i].right ? "|---:" : "|---", out);
	(void)fputs("|\n", out);
	for (size_t i = 0; i < layout->cell_count; i++) {
		(void)fputs("| ", out);
		if (plan->facts[i % plan->count] == FACT_FUNCTION)
			markdown_print_function(out, layout->cells[i].text);
		else if (plan->facts[i % plan->count] > FACT_PROBABILITY)
			markdown_print_code(out, layout->cells[i].text);
		else
			(void)fputs(layout->cells[i].text, out);
		(void)fputs((i + 1) % layout->column_count ? " " : " |\n", out);
	}
}

int compare_rows_print(const struct comparison *comparison)
{
	const struct compare_style *style = comparison->style;
	struct layout layout;
	struct plan plan;
	int r;

	plan_columns(comparison, &plan);
	r = layout_init(&layout, plan.columns, plan.count, style->utf8);
	if (r >= 0)
		r = add_rows(&layout, comparison, &plan);
	if (r >= 0 && style->form == REPORT_MARKDOWN) {
		print_markdown(comparison->out, &layout, &plan);
	} else if (r >= 0) {
		layout_fit(&layout, style->width);
		r = layout_print(comparison->out, &layout, style->color);
	}
	layout_done(&layout);
	return r;
}
