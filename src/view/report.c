// SPDX-License-Identifier: BSD-2-Clause
#include "view/report.h"

#include "analysis/filter.h"
#include "analysis/interval.h"
#include "view/layout.h"
#include "view/markdown.h"
#include "view/page.h"
#include "view/section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void set_value(struct section *section, uint32_t value)
{
	if (!value)
		return;
	section->value = histogram_value_type(value - 1);
	section->is_time = histogram_value_is_time(value - 1);
}

const char *section_unit(const struct section *section)
{
	return section->is_time ? "nanoseconds" : "count";
}

struct section section_of(FILE *out, const struct profile *profile,
			  const struct report_style *style)
{
	struct section section = {
		.out = out,
		.profile = profile,
		.style = style,
		.marks = text_marks(style->utf8),
	};

	set_value(&section, profile->value);
	profile_account(profile, &section.account);
	section.ranks = section.account.total >= EVIDENCE_FLOOR;
	return section;
}

const char *section_ink(enum profile_class class)
{
	/* The hues of the flame graph (flame_color()), as dark as is read on black and on white. */
	static const char *const inks[PROFILE_CLASSES] = {
		[CLASS_PROGRAM] = "\033[38;5;166m",  [CLASS_LIBRARIES] = "\033[38;5;136m",
		[CLASS_KERNEL] = "\033[38;5;68m",    [CLASS_VDSO] = "\033[38;5;74m",
		[CLASS_ANONYMOUS] = "\033[38;5;71m", [CLASS_UNRESOLVED] = "\033[38;5;244m",
		[CLASS_IDLE] = "\033[90m",	     [CLASS_DOS] = "\033[38;5;68m",
		[CLASS_IO] = "\033[38;5;74m",	     [CLASS_HIGH] = "\033[38;5;244m",
		[CLASS_PYTHON] = "\033[38;5;36m",    [CLASS_TIME] = "\033[38;5;98m",
	};

	return class < PROFILE_CLASSES ? inks[class] : INK_NONE;
}

size_t section_rows(const struct section *section)
{
	size_t limit = section->style->rows, count = section->table->row_count;

	return limit && limit < count ? limit : count;
}

/* What the rows from FIRST on have of their own. */
static struct text_amount rest_text(const struct section *section, size_t first)
{
	const struct table *table = section->table;
	bool markdown = section->style->form == REPORT_MARKDOWN;
	struct text_amount text;
	uint64_t ticks = 0, ns = 0;

	for (size_t i = first; i < table->row_count; i++) {
		ticks = ticks_add(ticks, table->rows[i].ticks);
		ns = ticks_add(ns, table_time(table->rows[i].own));
	}
	if (table->has_lives)
		(void)snprintf(text.text, sizeof(text.text), "%s", text_time(ns).text);
	else if (table->value)
		(void)snprintf(text.text, sizeof(text.text), "%s",
			       section_amount(section, ticks).text);
	else if (markdown)
		text = text_many(ticks, "sample");
	else
		(void)snprintf(text.text, sizeof(text.text), "%s",
			       section->ranks
				       ? text_share((double)ticks / (double)table->total).text
				       : text_count(ticks).text);
	return text;
}

/* What the limit of rows left out, and how to see it. */
static void print_rest(const struct section *section)
{
	const struct table *table = section->table;
	size_t shown = section_rows(section), more = table->row_count - shown;
	bool markdown = section->style->form == REPORT_MARKDOWN;
	const char *file = markdown ? NULL : section->style->file;

	if (!more)
		return;
	(void)fprintf(section->out, "%sand %s with %s", markdown ? "… " : "   ...  ",
		      text_many(more, "more row").text, rest_text(section, shown).text);
	if (markdown)
		(void)fputc('\n', section->out);
	if (file)
		(void)fprintf(section->out, " (profil report -n 0%s%s%s%s)",
			      table->value ? " --value " : "", table->value ? section->value : "",
			      strcmp(file, PROFILE_USUAL) != 0 ? " " : "",
			      strcmp(file, PROFILE_USUAL) != 0 ? file : "");
	(void)fputc('\n', section->out);
}

/* COMMAND shows SUBJECT of the same file. */
static void print_hint(const struct section *section, const char *subject, const char *command)
{
	const char *file = section->style->file;
	bool color = section->style->color, usual = !strcmp(file, PROFILE_USUAL);

	(void)fprintf(section->out, "%s%s: profil %s%s%s%s\n", color ? INK_FAINT : "", subject,
		      command, usual ? "" : " ", usual ? "" : file, color ? INK_END : "");
}

/* The other views of what was counted, one of which also says why stacks are cut. */
static void print_hints(const struct section *section)
{
	const struct table *table = section->table;
	char tree[64];

	if (!table->has_totals || !section->style->file)
		return;
	(void)snprintf(tree, sizeof(tree), "tree%s%s", table->value ? " --value " : "",
		       table->value ? section->value : "");
	print_hint(section, "call stacks", tree);
	if (table->has_lives && profile_counts(section->profile, VALUE_WALL))
		print_hint(section, "what would shorten the run if it were faster",
			   "report --value wall");
}

static void print_filtered(const struct section *section)
{
	const struct table *table = section->table;
	bool markdown = section->style->form == REPORT_MARKDOWN;
	uint64_t shown = table->has_lives ? table_time(table->shown_lives) : table->shown;
	uint64_t total = table->has_lives ? table_time(table->lives) : table->total;

	if (shown == total)
		return;
	if (!table->row_count)
		(void)fputs("nothing matches: ", section->out);
	if (table->has_lives)
		(void)fprintf(section->out, "%s of %s", text_time(shown).text,
			      text_time(total).text);
	else if (table->value)
		(void)fprintf(section->out, "%s of %s %s", section_amount(section, shown).text,
			      section_amount(section, total).text, section->value);
	else
		(void)fprintf(section->out, "%s of %s samples", text_count(shown).text,
			      text_count(total).text);
	if (!markdown)
		(void)fprintf(section->out, " (%s)",
			      text_share((double)shown / (double)total).text);
	(void)fprintf(section->out, " are in the rows asked for\n%s", markdown ? "\n" : "");
}

/* What the rows are of, where it is not samples: its cells, which are heap. */
static int value_cells(const struct section *section, struct profile *ret_of_value)
{
	const struct profile *profile = section->profile;
	struct profile of_value = *profile;
	int ret = filter_cells(profile, section->table->value - 1, &of_value.cells,
			       &of_value.cell_count);

	if (!ret)
		*ret_of_value = of_value;
	return ret;
}

/* How many call stacks are whole, of all that the rows have. */
static int print_stacks(const struct section *section, struct json *json)
{
	struct section of_value = *section;
	struct profile profile;

	if (!section->table->has_totals)
		return 0;
	if (section->table->value) {
		if (value_cells(section, &profile))
			return -ENOMEM;
		of_value.profile = &profile;
	}
	if (json)
		paths_json(&of_value, json);
	else
		paths_print(&of_value);
	if (section->table->value)
		free(profile.cells);
	return 0;
}

static int print_text(const struct section *section)
{
	int ret = head_print(section);

	if (!ret && section->table->row_count)
		ret = rows_print(section, NULL);
	if (ret)
		return ret;
	print_rest(section);
	print_filtered(section);
	if (section->table->total || section->table->has_lives)
		(void)fputc('\n', section->out);
	ret = lives_print_rows(section);
	if (ret)
		return ret;
	ret = print_stacks(section, NULL);
	if (ret)
		return ret;
	account_print(section, /* intervals= */ true);
	print_hints(section);
	return notes_print(section);
}

/* A report that can be pasted into a review: the table and its accounting. */
static int print_markdown(const struct section *section)
{
	char *description;
	int ret = head_describe(section, &description);

	if (ret)
		return ret;
	(void)fputs("**", section->out);
	markdown_print_code(section->out, head_subject(section));
	(void)fprintf(section->out, "** · %s\n\n", description);
	free(description);
	ret = lives_print(section);
	if (ret)
		return ret;
	if (profile_counts(section->profile, VALUE_LIFETIME))
		(void)fputc('\n', section->out);
	if (section->table->row_count) {
		ret = rows_print(section, NULL);
		(void)fputc('\n', section->out);
	}
	print_rest(section);
	print_filtered(section);
	ret = lives_print_rows(section);
	if (ret)
		return ret;
	ret = print_stacks(section, NULL);
	head_print_no_stacks(section);
	account_print_sums(section);
	return ret;
}

static int print_json(const struct section *section)
{
	const struct table *table = section->table;
	struct json json = {.out = section->out};
	int ret;

	json_head(section, &json);
	ret = lives_json(section, &json);
	if (ret)
		return ret;
	json_add_string(&json, "by", table_by_name(table->by));
	json_add_count(&json, "total", table->total);
	json_add_count(&json, "shown", table->shown);
	if (table->value) {
		json_add_string(&json, "value", section->value);
		json_add_string(&json, "unit", section_unit(section));
	}
	if (table->has_lives) {
		json_add_count(&json, "total_ns", table_time(table->lives));
		json_add_count(&json, "shown_ns", table_time(table->shown_lives));
		json_add_bool(&json, "running_exact", table->is_exact);
	}
	json_add_bool(&json, "enough", section->ranks);
	ret = print_stacks(section, &json);
	if (ret)
		return ret;
	json_add_count(&json, "row_count", table->row_count);
	ret = rows_print(section, &json);
	json_close(&json);
	return ret;
}

static int print_form(const struct section *section, const void *context)
{
	(void)context;
	switch (section->style->form) {
	case REPORT_TEXT:
		return print_text(section);
	case REPORT_JSON:
		return print_json(section);
	case REPORT_MARKDOWN:
		return print_markdown(section);
	default:
		return rows_print(section, NULL);
	}
}

int report_print(FILE *out, const struct profile *profile, const struct table *table,
		 const struct report_style *style)
{
	struct section section = section_of(out, profile, style);

	section.table = table;
	section.ranks = table->value || table->total >= EVIDENCE_FLOOR;
	set_value(&section, table->value);
	return page_print(&section, print_form, NULL);
}
