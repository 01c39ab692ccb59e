// SPDX-License-Identifier: BSD-2-Clause
#include "view/compare_private.h"

#include "view/section.h"

#include <inttypes.h>
#include <math.h>

/* One JSON object, and the same rows as RFC 4180 has them; man/profil-diff.1.scd has the fields. */

static const char *const side_names[DIFF_SIDES] = {"before", "after"};
static const char *const per_names[] = {
	[DIFF_PER_TICKS] = "ticks", [DIFF_PER_RUN] = "run", [DIFF_PER_UNIT] = "unit"};

static void print_text(FILE *out, const char *name, const char *text)
{
	(void)fprintf(out, "\"%s\": ", name);
	json_print_string(out, text);
	(void)fputs(", ", out);
}

/* JSON has no infinity. */
static void print_number(FILE *out, const char *name, double number)
{
	if (isfinite(number))
		(void)fprintf(out, "\"%s\": %.9g", name, number);
	else
		(void)fprintf(out, "\"%s\": null", name);
}

static void print_total(const struct comparison *comparison, int side)
{
	const struct diff_total *total = &comparison->diff->totals[side];
	FILE *out = comparison->out;

	(void)fprintf(out, "  \"%s\": {", side_names[side]);
	print_text(out, "file", comparison->style->files[side]);
	(void)fprintf(out, "\"runs\": %zu, \"ticks\": %" PRIu64 ", ", total->runs, total->ticks);
	print_number(out, "seconds", total->seconds);
	(void)fputs(", ", out);
	print_number(out, "value", total->value);
	(void)fputs("},\n", out);
}

static void print_whole(const struct comparison *comparison)
{
	const struct diff *diff = comparison->diff;
	FILE *out = comparison->out;

	(void)fputs("  \"whole\": {", out);
	print_number(out, "change", diff->total_change);
	(void)fputs(", ", out);
	print_number(out, "low", diff->total_interval.low);
	(void)fputs(", ", out);
	print_number(out, "high", diff->total_interval.high);
	(void)fputs(", ", out);
	print_number(out, "probability", diff->total_probability);
	(void)fputs("},\n", out);
}

static void print_part(FILE *out, const struct diff_part *part, int side)
{
	(void)fprintf(out, "\"%s\": {\"ticks\": %" PRIu64 ", ", side_names[side], part->ticks);
	print_number(out, "value", part->value);
	(void)fprintf(out, ", \"inlined\": %" PRIu64 ", ", part->inlined);
	print_text(out, "into", part->into);
	(void)fputs("\"build_id\": ", out);
	json_print_string(out, part->build_id);
	(void)fputs("}, ", out);
}

static void print_row(FILE *out, const struct diff_row *row)
{
	(void)fputs("    {", out);
	for (int side = 0; side < DIFF_SIDES; side++)
		print_part(out, &row->parts[side], side);
	print_number(out, "change", row->change);
	(void)fputs(", ", out);
	print_number(out, "low", row->interval.low);
	(void)fputs(", ", out);
	print_number(out, "high", row->interval.high);
	(void)fputs(", ", out);
	print_number(out, "probability", row->probability);
	(void)fprintf(out, ", \"significant\": %s, \"match\": \"%s\", ",
		      row->significant ? "true" : "false", diff_match_name(row->match));
	print_text(out, "moved_from", row->moved_from);
	print_text(out, "name", row->name);
	print_text(out, "function", row->function);
	print_text(out, "object", row->object);
	print_text(out, "path", row->path);
	print_text(out, "file", row->file);
	(void)fprintf(out, "\"line\": %" PRIu32 ", \"class\": \"%s\"}", row->line,
		      profile_class_name(row->class));
}

void compare_json_print(const struct comparison *comparison)
{
	const struct diff *diff = comparison->diff;
	size_t count = comparison_rows(comparison);
	FILE *out = comparison->out;

	(void)fprintf(out, "{\n  \"by\": \"%s\",\n  \"per\": \"%s\",\n  \"unit\": ",
		      table_by_name(diff->by), per_names[diff->per]);
	json_print_string(out, diff->per == DIFF_PER_UNIT ? comparison->style->unit : "");
	(void)fputs(",\n", out);
	for (int side = 0; side < DIFF_SIDES; side++)
		print_total(comparison, side);
	print_whole(comparison);
	(void)fprintf(out, "  \"compared\": %zu,\n  \"row_count\": %zu,\n  \"rows\": [",
		      diff->compared, diff->row_count);
	for (size_t i = 0; i < count; i++) {
		(void)fputs(i ? ",\n" : "\n", out);
		print_row(out, &diff->rows[i]);
	}
	(void)fputs(count ? "\n  ]\n}\n" : "]\n}\n", out);
}

static void print_csv_row(FILE *out, const struct diff_row *row)
{
	const struct diff_part *before = &row->parts[DIFF_BEFORE], *after = &row->parts[DIFF_AFTER];
	const char *const texts[] = {diff_match_name(row->match),
				     row->moved_from,
				     row->name,
				     row->function,
				     row->object,
				     row->path,
				     profile_class_name(row->class),
				     before->into,
				     after->into,
				     row->file};

	(void)fprintf(out, "%" PRIu64 ",%" PRIu64 ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d",
		      before->ticks, after->ticks, before->value, after->value, row->change,
		      row->interval.low, row->interval.high, row->probability, row->significant);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		(void)fputc(',', out);
		csv_print_field(out, texts[i]);
	}
	(void)fprintf(out, ",%" PRIu32 "\r\n", row->line);
}

void compare_csv_print(const struct comparison *comparison)
{
	(void)fputs("ticks_before,ticks_after,before,after,change,low,high,probability,significant,"
		    "match,moved_from,name,function,object,path,class,into_before,into_after,file,"
		    "line\r\n",
		    comparison->out);
	for (size_t i = 0; i < comparison_rows(comparison); i++)
		print_csv_row(comparison->out, &comparison->diff->rows[i]);
}
