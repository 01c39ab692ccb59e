// SPDX-License-Identifier: BSD-2-Clause
#include "view/heat.h"
#include "view/hist_section.h"
#include "view/layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* One strip for each object: its whole text, from the low end to the high one. */

#define STRIP_USUAL 72
#define STRIP_MAX 200

/* Without colours the mark tells the heat; with them it tells what a palette of few cannot. */
static const char *mark_of(double heat, bool utf8)
{
	static const char *const marks[] = {"░", "▒", "▓", "█"};
	static const char *const plain[] = {".", "+", "*", "#"};
	size_t level = heat >= 1 ? 3 : (size_t)(heat * 4);

	if (!(heat > 0))
		return utf8 ? "·" : "_";
	return utf8 ? marks[level] : plain[level];
}

static void print_cell(const struct hist_section *part, uint64_t ticks, uint64_t peak)
{
	const struct report_style *page = part->section->style;
	double heat = heat_of(ticks, peak);
	const char *ink = "";

	if (page->color)
		ink = heat > 0 ? heat_ink(heat, page->true_color) : INK_FAINT;
	(void)fprintf(part->section->out, "%s%s%s", ink, mark_of(heat, page->utf8),
		      *ink ? INK_END : "");
}

static void print_title(const struct hist_section *part, const struct hist_object *object,
			const char *text)
{
	bool color = part->section->style->color;
	FILE *out = part->section->out;

	(void)fputs(color ? section_ink(object->class) : "", out);
	text_print(out, object->object);
	(void)fputs(color ? INK_END : "", out);
	(void)fprintf(out, ": %s", text_many(object->ticks, "sample").text);
	if (part->section->ranks)
		(void)fprintf(out, " (%s)",
			      text_share((double)object->ticks / (double)part->hist->total).text);
	(void)fprintf(out, "; %s\n", text);
}

static int print_strip(const struct hist_section *part, const struct hist_object *object,
		       size_t columns)
{
	struct hist_strip strip;
	char *text = hist_object_text(object, /* all= */ true);
	FILE *out = part->section->out;

	if (!text || hist_strip(object, columns, &strip) < 0) {
		free(text);
		return -ENOMEM;
	}
	print_title(part, object, text);
	for (size_t i = 0; i < strip.count; i++)
		print_cell(part, strip.ticks[i], strip.peak);
	(void)fprintf(out, "\n%" PRIx64 "%s%" PRIx64 ", %s per character\n\n", object->start,
		      part->section->marks->to, object->end, text_size(strip.bytes).text);
	free(strip.ticks);
	free(text);
	return 0;
}

int hist_strips_print(const struct hist_section *part)
{
	unsigned width = part->section->style->width;
	size_t columns = width ? width : STRIP_USUAL;
	int ret = 0;

	if (columns > STRIP_MAX)
		columns = STRIP_MAX;
	for (size_t i = 0; i < part->hist->object_count && !ret; i++)
		ret = print_strip(part, &part->hist->objects[i], columns);
	return ret;
}
