// SPDX-License-Identifier: BSD-2-Clause
#include "view/hist_section.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* One JSON object; man/profil-hist.1.scd has its fields. */

#define STRIP_CELLS 256

static const char *const bys[] = {
	[HIST_BY_FUNCTION] = "function",
	[HIST_BY_LINE] = "line",
	[HIST_BY_BYTES] = "bytes",
};

static void print_row(FILE *out, const struct hist *hist, const struct hist_row *row)
{
	(void)fputs("{", out);
	json_print_share(out, row->ticks, hist->total);
	json_print_count(out, "sum", row->sum);
	json_print_count(out, "start", row->start);
	json_print_count(out, "end", row->end);
	json_print_text(out, "name", row->name);
	json_print_count(out, "into", row->into);
	json_print_count(out, "begins", row->begins);
	json_print_count(out, "folded", row->folded);
	(void)fprintf(out, "\"fold\": %s}", row->is_fold ? "true" : "false");
}

static int print_strip(FILE *out, const struct hist_object *object)
{
	uint64_t size = object->end - object->start;
	size_t count = size < STRIP_CELLS ? (size_t)size : STRIP_CELLS;
	uint64_t *ticks = calloc(count, sizeof(*ticks));

	if (!ticks)
		return -ENOMEM;
	hist_strip(object, count, ticks);
	(void)fputs("     \"strip\": [", out);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "%s%" PRIu64, i ? ", " : "", ticks[i]);
	(void)fputs("]}", out);
	free(ticks);
	return 0;
}

static void print_rows(FILE *out, const struct hist *hist, const struct hist_object *object)
{
	(void)fputs("     \"rows\": [", out);
	for (size_t i = 0; i < object->row_count; i++) {
		(void)fputs(i ? ",\n      " : "\n      ", out);
		print_row(out, hist, &object->rows[i]);
	}
	(void)fputs("]}", out);
}

static void print_object(FILE *out, const struct hist *hist, const struct hist_object *object)
{
	(void)fputs("    {", out);
	json_print_share(out, object->ticks, hist->total);
	json_print_text(out, "object", object->object);
	json_print_text(out, "path", object->path);
	json_print_text(out, "class", profile_class_name(object->class));
	json_print_count(out, "start", object->start);
	json_print_count(out, "end", object->end);
	json_print_count(out, "bytes", object->bytes);
	json_print_count(out, "pages", object->pages);
	json_print_count(out, "pages_hit", object->pages_hit);
	json_print_count(out, "pages_hot", object->pages_hot);
	json_print_count(out, "huge_pages", object->huge_pages);
	json_print_count(out, "huge_hit", object->huge_hit);
	(void)fputs("\"no_code\": ", out);
	json_print_string(out, object->why_no_code);
	(void)fputs(",\n", out);
}

int hist_json(const struct hist_section *part)
{
	const struct hist *hist = part->hist;
	FILE *out = part->section->out;
	int r = 0;

	json_print_head(part->section);
	(void)fprintf(out,
		      "  \"by\": \"%s\",\n  \"bucket_bytes\": %" PRIu64 ",\n  \"total\": %" PRIu64
		      ",\n  \"shown\": %" PRIu64 ",\n  \"without_address\": %" PRIu64
		      ",\n  \"other_objects\": %" PRIu64 ",\n  \"objects\": [",
		      bys[hist->options.by], hist->options.bytes, hist->total, hist->shown,
		      hist->nowhere, hist->filtered);
	for (size_t i = 0; i < hist->object_count && !r; i++) {
		(void)fputs(i ? ",\n" : "\n", out);
		print_object(out, hist, &hist->objects[i]);
		if (part->style->strip)
			r = print_strip(out, &hist->objects[i]);
		else
			print_rows(out, hist, &hist->objects[i]);
	}
	(void)fputs("\n  ]\n}\n", out);
	return r;
}
