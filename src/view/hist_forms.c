// SPDX-License-Identifier: BSD-2-Clause
#include "view/grid.h"
#include "view/hist_section.h"
#include "view/markdown.h"

#include <stdlib.h>

/* For programs and for reviews: a table for each object. man/profil-hist.1.scd has JSON's fields.
 */

#define STRIP_CELLS 256

static const char *const bys[] = {
	[HIST_BY_FUNCTION] = "function",
	[HIST_BY_LINE] = "line",
	[HIST_BY_BYTES] = "bytes",
};

static int print_strip(struct json *json, const struct hist_object *object)
{
	struct hist_strip strip;
	int ret = hist_strip(object, STRIP_CELLS, &strip);

	if (ret < 0)
		return ret;
	json_open_list(json, "strip", /* lines= */ false);
	for (size_t i = 0; i < strip.count; i++)
		json_add_count(json, NULL, strip.ticks[i]);
	json_close(json);
	free(strip.ticks);
	return 0;
}

static int print_object(const struct hist_section *part, struct json *json,
			const struct hist_object *object)
{
	int ret;

	json_open_object(json, NULL, /* lines= */ false);
	grid_json_ticks(json, object->ticks, part->hist->total);
	json_add_string(json, "object", object->object);
	json_add_string(json, "path", object->path);
	json_add_string(json, "class", profile_class_name(object->class));
	json_add_count(json, "start", object->start);
	json_add_count(json, "end", object->end);
	json_add_count(json, "bytes", object->bytes);
	json_add_count(json, "pages", object->pages);
	json_add_count(json, "pages_hit", object->pages_hit);
	json_add_count(json, "pages_hot", object->pages_hot);
	json_add_count(json, "huge_pages", object->huge_pages);
	json_add_count(json, "huge_hit", object->huge_hit);
	json_add_string(json, "no_code", object->why_no_code);
	ret = part->style->strip ? print_strip(json, object) : hist_object_rows(part, object, json);
	json_close(json);
	return ret;
}

int hist_json(const struct hist_section *part)
{
	const struct hist *hist = part->hist;
	struct json json = {.out = part->section->out};
	int ret = 0;

	json_head(part->section, &json);
	json_add_string(&json, "by", bys[hist->options.by]);
	json_add_count(&json, "bucket_bytes", hist->options.bytes);
	json_add_count(&json, "total", hist->total);
	json_add_count(&json, "shown", hist->shown);
	json_add_count(&json, "without_address", hist->nowhere);
	json_add_count(&json, "other_objects", hist->filtered);
	json_open_list(&json, "objects", /* lines= */ true);
	for (size_t i = 0; i < hist->object_count && !ret; i++)
		ret = print_object(part, &json, &hist->objects[i]);
	json_close(&json);
	json_close(&json);
	return ret;
}

int hist_markdown(const struct hist_section *part)
{
	const struct hist *hist = part->hist;
	FILE *out = part->section->out;
	int ret = 0;

	for (size_t i = 0; i < hist->object_count && !ret; i++) {
		const struct hist_object *object = &hist->objects[i];
		char *text = hist_object_text(object, /* all= */ true);

		(void)fputs("**", out);
		markdown_print_code(out, object->object);
		(void)fprintf(out, "**: %s; %s\n\n", text_many(object->ticks, "sample").text,
			      text ? text : "");
		free(text);
		ret = hist_object_rows(part, object, NULL);
		(void)fputc('\n', out);
	}
	(void)fprintf(out, "%s samples = %s above + %s without an address + %s in other objects\n",
		      text_count(hist->total).text, text_count(hist->shown).text,
		      text_count(hist->nowhere).text, text_count(hist->filtered).text);
	return ret;
}
