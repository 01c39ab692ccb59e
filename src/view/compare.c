// SPDX-License-Identifier: BSD-2-Clause
#include "view/compare_private.h"

#include "base/array.h"
#include "view/layout.h"
#include "view/page.h"

#include <math.h>

size_t comparison_rows(const struct comparison *comparison)
{
	size_t limit = comparison->style->page.rows, count = comparison->diff->row_count;

	return limit && limit < count ? limit : count;
}

/* A time in the unit in which the whole is 10 or more, so that its parts are seen. */
static void choose_unit(struct comparison *comparison)
{
	static const struct {
		double factor;
		const char *utf8, *ascii;
		int decimals;
	} units[] = {
		{1, "s", "s", 2}, {1e3, "ms", "ms", 1}, {1e6, "µs", "us", 1}, {1e9, "ns", "ns", 1}};
	const struct diff_total *totals = comparison->diff->totals;
	double whole = fmax(totals[DIFF_BEFORE].value, totals[DIFF_AFTER].value);
	size_t i = 0;

	comparison->factor = 100;
	comparison->unit = "%";
	comparison->decimals = 1;
	if (comparison->diff->per == DIFF_PER_TICKS)
		return;
	if (comparison->value && !comparison->is_time) {
		comparison->factor = 1;
		comparison->unit = "times";
		return;
	}
	while (i + 1 < ARRAY_LENGTH(units) && whole * units[i].factor < 10)
		i++;
	comparison->factor = units[i].factor;
	comparison->unit = comparison->style->page.utf8 ? units[i].utf8 : units[i].ascii;
	comparison->decimals = units[i].decimals;
}

/* Rounded as it is printed, so that there is never a "-0.0". */
static double rounded(double number, int decimals)
{
	double power = pow(10, decimals);

	return round(number * power) / power + 0.0;
}

bool comparison_has_intervals(const struct comparison *comparison)
{
	const struct diff_total *totals = comparison->diff->totals;

	return !comparison->value || totals[DIFF_BEFORE].runs + totals[DIFF_AFTER].runs > 2;
}

const char *comparison_unit(const struct comparison *comparison)
{
	if (!comparison->value)
		return "samples";
	return comparison->is_time ? "nanoseconds" : "count";
}

struct text_number comparison_value(const struct comparison *comparison, double value)
{
	struct text_number number;

	(void)snprintf(number.text, sizeof(number.text), "%.*f %s", comparison->decimals,
		       value * comparison->factor, comparison->unit);
	return number;
}

struct text_number comparison_change(const struct comparison *comparison, double change)
{
	struct text_number number;

	(void)snprintf(number.text, sizeof(number.text), "%+.*f", comparison->decimals,
		       rounded(change * comparison->factor, comparison->decimals));
	return number;
}

struct text_number comparison_relative(double before, double change)
{
	struct text_number number = {""};

	if (before > 0)
		(void)snprintf(number.text, sizeof(number.text), "%+.1f %%",
			       rounded(100 * change / before, 1));
	return number;
}

struct text_number comparison_probability(double probability)
{
	struct text_number number = {"<0.001"};

	if (probability >= 0.001)
		(void)snprintf(number.text, sizeof(number.text), "%.3f", probability);
	return number;
}

/* ---- above and below the rows ---- */

static void print_side(const struct comparison *comparison, enum diff_side side, const char *title)
{
	const struct diff_total *total = &comparison->diff->totals[side];
	FILE *out = comparison->out;

	(void)fputs(title, out);
	text_print(out, comparison->style->files[side]);
	if (total->runs > 1)
		(void)fprintf(out, " and %s more", text_count(total->runs - 1).text);
	(void)fprintf(out, " %s ", comparison->marks->dot);
	if (comparison->value)
		(void)fprintf(out, "%s %s",
			      comparison->is_time ? text_time(total->ticks).text
						  : text_count(total->ticks).text,
			      comparison->value);
	else
		(void)fputs(text_many(total->ticks, "sample").text, out);
	if (total->seconds > 0 && !comparison->value)
		(void)fprintf(out, " in %.2f s of CPU", total->seconds);
	(void)fputc('\n', out);
}

static void print_whole(const struct comparison *comparison)
{
	const struct diff *diff = comparison->diff;
	double before = diff->totals[DIFF_BEFORE].value, change = diff->total_change;
	FILE *out = comparison->out;

	if (diff->per == DIFF_PER_TICKS)
		return;
	(void)fprintf(out, "%s per ", comparison->value ? comparison->value : "CPU time");
	text_print(out, diff->per == DIFF_PER_RUN ? "run" : comparison->style->unit);
	(void)fprintf(out, ": %s before, ", comparison_value(comparison, before).text);
	(void)fprintf(out, "%s after (%s", comparison_value(comparison, before + change).text,
		      comparison_relative(before, change).text);
	if (isfinite(diff->total_interval.low)) {
		(void)fprintf(out, ", 95 %% interval %s ",
			      comparison_relative(before, diff->total_interval.low).text);
		(void)fprintf(out, "%s %s, p %s", comparison->marks->to,
			      comparison_relative(before, diff->total_interval.high).text,
			      comparison_probability(diff->total_probability).text);
	}
	(void)fputs(")\n", out);
}

static size_t count_significant(const struct diff *diff)
{
	size_t count = 0;

	for (size_t i = 0; i < diff->row_count; i++)
		count += diff->rows[i].significant;
	return count;
}

/* What the limit of rows left out. */
static void print_rest(const struct comparison *comparison)
{
	const struct diff *diff = comparison->diff;
	size_t shown = comparison_rows(comparison), more = diff->row_count - shown;
	size_t significant = count_significant(diff);

	if (!more)
		return;
	(void)fprintf(comparison->out, "   ...  and %s, ", text_many(more, "more row").text);
	if (significant > shown)
		(void)fprintf(comparison->out, "%s of them significant (-n 0 shows all)\n",
			      text_count(significant - shown).text);
	else
		(void)fputs("none of them significant (-n 0 shows all)\n", comparison->out);
}

/* What a "*" means: with repeats, that the program changed; without, that these two runs differ. */
static void print_no_repeats(const struct comparison *comparison)
{
	bool color = comparison->style->page.color;

	(void)fprintf(comparison->out,
		      "%sone run a side: whether the program changed or two runs of it differ "
		      "as much, only repeats can tell: profil diff OLD... -- NEW...%s\n",
		      color ? INK_WARN : INK_NONE, color ? INK_END : INK_NONE);
}

void comparison_print_significance(const struct comparison *comparison)
{
	const struct diff *diff = comparison->diff;
	const struct diff_total *totals = diff->totals;
	bool repeats = totals[DIFF_BEFORE].runs + totals[DIFF_AFTER].runs > 2;
	FILE *out = comparison->out;

	if (comparison->value && !repeats) {
		print_no_repeats(comparison);
		return;
	}
	(void)fprintf(out, "%s of %s %s (%s: p at most 0.05 by %s, after Holm's correction%s)\n",
		      text_count(count_significant(diff)).text,
		      text_many(diff->compared, diff->by_frame ? "frame" : "row").text,
		      repeats ? "changed" : "differ by more than the others",
		      diff->by_frame ? "red, blue" : "*",
		      comparison->value ? "Student's t between runs"
		      : repeats		? "Fisher's exact test and Student's t between runs"
		      : diff->by_frame	? "Fisher's exact test and the spread of all of one depth"
					: "Fisher's exact test and the spread of all rows",
		      diff->by_frame ? " for those of one depth" : "");
	if (diff->by_frame)
		(void)fputs("where nothing changed, one depth in twenty at most has a colour by "
			    "chance\n",
			    out);
	if (!repeats)
		print_no_repeats(comparison);
}

void comparison_print_foot(const struct comparison *comparison)
{
	bool shares = comparison->diff->per == DIFF_PER_TICKS;
	const char *faint = comparison->style->page.color ? INK_FAINT : INK_NONE;
	const char *what = comparison->value ? comparison->value : "CPU time";

	comparison_print_significance(comparison);
	(void)fprintf(comparison->out, "%sbefore, after: %s; change: %s%s%s\n", faint,
		      shares ? "share of a side's samples" : what,
		      shares ? "in percentage points" : "after less before",
		      comparison_has_intervals(comparison) ? "; interval: 95 %, of the row alone"
							   : "",
		      *faint ? INK_END : INK_NONE);
}

void comparison_print_head(const struct comparison *comparison)
{
	print_side(comparison, DIFF_BEFORE, "before: ");
	print_side(comparison, DIFF_AFTER, "after:  ");
	print_whole(comparison);
}

static int print_text(const struct comparison *comparison)
{
	int ret;

	comparison_print_head(comparison);
	(void)fputc('\n', comparison->out);
	ret = comparison->diff->row_count ? compare_rows_print(comparison, NULL) : 0;
	if (ret < 0)
		return ret;
	print_rest(comparison);
	(void)fputc('\n', comparison->out);
	comparison_print_foot(comparison);
	return 0;
}

/* In Markdown the lines above and below are paragraphs of their own. */
static int print_markdown(const struct comparison *comparison)
{
	int ret;

	print_side(comparison, DIFF_BEFORE, "before: ");
	(void)fputc('\n', comparison->out);
	print_side(comparison, DIFF_AFTER, "after: ");
	(void)fputc('\n', comparison->out);
	print_whole(comparison);
	if (comparison->diff->per != DIFF_PER_TICKS)
		(void)fputc('\n', comparison->out);
	ret = compare_rows_print(comparison, NULL);
	(void)fputc('\n', comparison->out);
	print_rest(comparison);
	comparison_print_foot(comparison);
	return ret;
}

/* ---- JSON: man/profil-diff.1.scd has the fields ---- */

static void print_total(const struct comparison *comparison, enum diff_side side, const char *name,
			struct json *json)
{
	const struct diff_total *total = &comparison->diff->totals[side];

	json_open_object(json, name, /* lines= */ false);
	json_add_string(json, "file", comparison->style->files[side]);
	json_add_count(json, "runs", total->runs);
	json_add_count(json, comparison_unit(comparison), total->ticks);
	if (!comparison->value)
		json_add_real(json, "seconds", total->seconds);
	json_add_real(json, "value", total->value);
	json_close(json);
}

static int print_json(const struct comparison *comparison)
{
	static const char *const pers[] = {
		[DIFF_PER_TICKS] = "samples", [DIFF_PER_RUN] = "run", [DIFF_PER_UNIT] = "unit"};
	const struct diff *diff = comparison->diff;
	struct json json = {.out = comparison->out};
	int ret;

	json_open_object(&json, NULL, /* lines= */ true);
	json_add_string(&json, "by",
			diff->by_path		       ? "path"
			: comparison->style->by_reason ? "reason"
						       : table_by_name(diff->by));
	if (comparison->value)
		json_add_string(&json, "of", comparison->value);
	json_add_string(&json, "per", pers[diff->per]);
	json_add_string(&json, "unit", diff->per == DIFF_PER_UNIT ? comparison->style->unit : "");
	print_total(comparison, DIFF_BEFORE, "before", &json);
	print_total(comparison, DIFF_AFTER, "after", &json);
	json_open_object(&json, "whole", /* lines= */ false);
	json_add_real(&json, "change", diff->total_change);
	json_add_real(&json, "low", diff->total_interval.low);
	json_add_real(&json, "high", diff->total_interval.high);
	json_add_real(&json, "probability", diff->total_probability);
	json_close(&json);
	json_add_count(&json, "compared", diff->compared);
	json_add_count(&json, "row_count", diff->row_count);
	ret = compare_rows_print(comparison, &json);
	json_close(&json);
	return ret;
}

static int print_form(const struct section *section, const void *context)
{
	struct comparison comparison = *(const struct comparison *)context;

	comparison.out = section->out;
	switch (section->style->form) {
	case REPORT_TEXT:
		return print_text(&comparison);
	case REPORT_JSON:
		return print_json(&comparison);
	case REPORT_MARKDOWN:
		return print_markdown(&comparison);
	default:
		return compare_rows_print(&comparison, NULL);
	}
}

struct comparison comparison_of(FILE *out, const struct diff *diff,
				const struct compare_style *style)
{
	struct comparison comparison = {
		.out = out,
		.diff = diff,
		.style = style,
		.marks = text_marks(style->page.utf8),
	};

	if (diff->value) {
		comparison.value = histogram_value_type(diff->value - 1);
		comparison.is_time = histogram_value_is_time(diff->value - 1);
	}
	choose_unit(&comparison);
	return comparison;
}

int compare_print(FILE *out, const struct diff *diff, const struct compare_style *style)
{
	const struct section section = {.out = out, .style = &style->page};
	struct comparison comparison = comparison_of(out, diff, style);

	return page_print(&section, print_form, &comparison);
}
