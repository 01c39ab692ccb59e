// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "analysis/table_inlines.h"
#include "base/array.h"
#include "view/bar.h"
#include "view/layout.h"
#include "view/section.h"

#include <inttypes.h>
#include <string.h>

#define COLUMNS_MAX 8

/* A bar is a luxury of wide pages. */
#define BAR_MAX 20
#define BAR_SHORT 12
#define PAGE_WIDE 120
#define PAGE_MEDIUM 96

/* What a column shows of a row. */
enum fact {
	FACT_SHARE,
	FACT_INTERVAL,
	FACT_TICKS,
	FACT_NAME,
	FACT_LINE,
	FACT_FUNCTION,
	FACT_INLINED,
	FACT_OBJECT,
	FACT_PATH,
	FACT_ADDRESS,
	FACT_PID,
	FACT_TID,
	FACT_BAR,
};

static const struct layout_column titles[] = {
	[FACT_SHARE] = {" share", .right = true},
	[FACT_INTERVAL] = {"95 % interval", .right = true},
	[FACT_TICKS] = {"ticks", .right = true},
	[FACT_NAME] = {NULL, .shrinks = 12},
	[FACT_LINE] = {"line", .shrinks = 8},
	[FACT_FUNCTION] = {"function", .shrinks = 12},
	[FACT_INLINED] = {"inlined", .shrinks = 8},
	[FACT_OBJECT] = {"object", .shrinks = 8},
	[FACT_PATH] = {"path", .shrinks = 12},
	[FACT_ADDRESS] = {"address", .right = true},
	[FACT_PID] = {"pid", .right = true},
	[FACT_TID] = {"tid", .right = true},
	[FACT_BAR] = {""},
};

/* Behind share, interval and ticks, for each way to make rows. */
static const enum fact shown[TABLE_BYS][5] = {
	[TABLE_BY_FUNCTION] = {FACT_NAME, FACT_OBJECT, FACT_BAR},
	[TABLE_BY_LINE] = {FACT_LINE, FACT_FUNCTION, FACT_INLINED, FACT_OBJECT, FACT_BAR},
	[TABLE_BY_ADDRESS] = {FACT_ADDRESS, FACT_FUNCTION, FACT_INLINED, FACT_OBJECT, FACT_BAR},
	[TABLE_BY_OBJECT] = {FACT_NAME, FACT_PATH, FACT_BAR},
	[TABLE_BY_PROCESS] = {FACT_PID, FACT_NAME, FACT_BAR},
	[TABLE_BY_THREAD] = {FACT_PID, FACT_TID, FACT_NAME, FACT_BAR},
	[TABLE_BY_COMM] = {FACT_NAME, FACT_BAR},
	[TABLE_BY_CPU] = {FACT_NAME, FACT_BAR},
	[TABLE_BY_CGROUP] = {FACT_NAME, FACT_BAR},
};

/* The columns of one report. */
struct plan {
	enum fact facts[COLUMNS_MAX];
	struct layout_column columns[COLUMNS_MAX];
	size_t count;
	size_t bar;   /* columns of a whole bar; 0: no bars */
	double scale; /* the share that it stands for */
};

static void plan_column(struct plan *plan, enum fact fact, const char *name_title)
{
	plan->facts[plan->count] = fact;
	plan->columns[plan->count] = titles[fact];
	if (fact == FACT_NAME)
		plan->columns[plan->count].title = name_title;
	plan->count++;
}

static size_t bar_columns(const struct section *section)
{
	unsigned width = section->style->width;

	if (!section->style->color || !section->ranks || !section->table->row_count)
		return 0;
	if (!width || width >= PAGE_WIDE)
		return BAR_MAX;
	return width >= PAGE_MEDIUM ? BAR_SHORT : 0;
}

/* Nothing is inlined in most profiles, and a column of nothing is not shown. */
static bool is_shown(const struct section *section, const struct plan *plan, enum fact fact)
{
	if (fact == FACT_BAR)
		return plan->bar;
	if (fact != FACT_INLINED)
		return true;
	for (size_t i = 0; i < section_rows(section); i++)
		if (*section->table->rows[i].inlined)
			return true;
	return false;
}

static void plan_columns(const struct section *section, struct plan *plan)
{
	const struct table *table = section->table;
	enum table_by by = table->by;

	*plan = (struct plan){.bar = bar_columns(section)};
	if (plan->bar)
		plan->scale = interval_of_share(table->rows[0].ticks, table->total).high;
	if (section->ranks) {
		plan_column(plan, FACT_SHARE, NULL);
		plan_column(plan, FACT_INTERVAL, NULL);
	}
	plan_column(plan, FACT_TICKS, NULL);
	for (size_t i = 0; i < ARRAY_LENGTH(shown[by]) && shown[by][i]; i++)
		if (is_shown(section, plan, shown[by][i]))
			plan_column(plan, shown[by][i], table_by_name(by));
}

static int add_share(struct layout *layout, const struct section *section,
		     const struct table_row *row, enum fact fact)
{
	uint64_t total = section->table->total;
	struct interval interval = interval_of_share(row->ticks, total);

	if (fact == FACT_SHARE)
		return layout_add(layout, INK_STRONG, "%s",
				  text_share((double)row->ticks / (double)total).text);
	return layout_add(layout, INK_FAINT, "%.1f %s %4.1f %%", 100 * interval.low,
			  section->marks->to, 100 * interval.high);
}

/* A task or an address of which nothing is known is left blank. */
static int add_number(struct layout *layout, bool hexadecimal, uint64_t number)
{
	if (!number)
		return layout_add(layout, INK_NONE, "%s", "");
	if (hexadecimal)
		return layout_add(layout, INK_NONE, "0x%" PRIx64, number);
	return layout_add(layout, INK_NONE, "%" PRIu64, number);
}

static int add_cell(struct layout *layout, const struct section *section, const struct plan *plan,
		    const struct table_row *row, enum fact fact)
{
	bool is_part = section->table->by == TABLE_BY_FUNCTION && *row->inlined;
	char bar[BAR_TEXT];

	switch (fact) {
	case FACT_SHARE:
	case FACT_INTERVAL:
		return add_share(layout, section, row, fact);
	case FACT_TICKS:
		return layout_add(layout, INK_NONE, "%s", text_count(row->ticks).text);
	case FACT_NAME:
		if (section->table->by == TABLE_BY_FUNCTION)
			return layout_add_function(layout, INK_NONE, is_part ? "  " : "", row->name,
						   is_part ? " (inlined)" : "");
		return layout_add(layout, INK_NONE, "%s", row->name);
	case FACT_LINE:
		return layout_add(layout, INK_NONE, "%s", *row->file ? row->name : "");
	case FACT_FUNCTION:
		return layout_add_function(layout, INK_NONE, "", row->function, "");
	case FACT_INLINED:
		return layout_add_function(layout, INK_NONE, "", row->inlined, "");
	case FACT_OBJECT:
		return layout_add(layout, section_ink(row->class), "%s", row->object);
	case FACT_PATH:
		return layout_add(layout, section_ink(row->class), "%s", row->path);
	case FACT_ADDRESS:
		return add_number(layout, true, row->address);
	case FACT_PID:
		return add_number(layout, false, row->pid);
	case FACT_TID:
		return add_number(layout, false, row->tid);
	case FACT_BAR:
		bar_text(section->marks, plan->bar, plan->scale,
			 interval_of_share(row->ticks, section->table->total), bar);
		return layout_add(layout, section_ink(row->class), "%s", bar);
	}
	return 0;
}

static int add_row(struct layout *layout, const struct section *section, const struct plan *plan,
		   const struct table_row *row)
{
	int r = 0;

	for (size_t i = 0; i < plan->count && r >= 0; i++)
		r = add_cell(layout, section, plan, row, plan->facts[i]);
	return r;
}

static int add_rows(struct layout *layout, const struct section *section, const struct plan *plan)
{
	size_t count = section_rows(section);
	int r = 0;

	for (size_t i = 0; i < count && r >= 0; i++) {
		const struct table_row *row = &section->table->rows[i];

		r = add_row(layout, section, plan, row);
		for (uint32_t j = 0; j < row->part_count && r >= 0; j++) {
			struct table_row part = table_inlines_row(section->table, row, j);

			r = add_row(layout, section, plan, &part);
		}
	}
	return r;
}

/* What the limit of rows left out, and how to see it. */
static void print_rest(const struct section *section)
{
	const struct table *table = section->table;
	size_t more = table->row_count - section_rows(section);
	const char *file = section->style->file;
	uint64_t ticks = 0;

	if (!more)
		return;
	for (size_t i = section_rows(section); i < table->row_count; i++)
		ticks = ticks_add(ticks, table->rows[i].ticks);
	(void)fprintf(section->out, "   ...  and %s more row%s with %s", text_count(more).text,
		      text_plural(more),
		      section->ranks ? text_share((double)ticks / (double)table->total).text
				     : text_count(ticks).text);
	if (file)
		(void)fprintf(section->out, " (profil report -n 0%s%s)",
			      strcmp(file, PROFILE_USUAL) != 0 ? " " : "",
			      strcmp(file, PROFILE_USUAL) != 0 ? file : "");
	(void)fputc('\n', section->out);
}

static void print_filtered(const struct section *section)
{
	const struct table *table = section->table;

	if (table->shown == table->total)
		return;
	(void)fprintf(section->out, "%s of %s ticks (%s) are in the rows asked for\n",
		      text_count(table->shown).text, text_count(table->total).text,
		      text_share((double)table->shown / (double)table->total).text);
}

static int print_rows(const struct section *section)
{
	struct layout layout;
	struct plan plan;
	int r;

	plan_columns(section, &plan);
	r = layout_init(&layout, plan.columns, plan.count, section->style->utf8);
	if (r >= 0)
		r = add_rows(&layout, section, &plan);
	if (r >= 0) {
		layout_fit(&layout, section->style->width);
		r = layout_print(section->out, &layout, section->style->color);
	}
	layout_done(&layout);
	return r;
}

int rows_print(const struct section *section)
{
	int r = section->table->row_count ? print_rows(section) : 0;

	if (r < 0)
		return r;
	print_rest(section);
	print_filtered(section);
	if (section->table->total)
		(void)fputc('\n', section->out);
	return 0;
}
