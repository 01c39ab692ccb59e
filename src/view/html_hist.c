// SPDX-License-Identifier: BSD-2-Clause
#include "view/hist_section.h"
#include "view/html_section.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* The histogram: each object's text as a strip, and its buckets from low to high addresses.  It is
 * a table and no picture, so that it is read on any width and by any reader. */

#define STRIP_CELLS 256

static void print_cells(FILE *out, const struct hist_object *object, const struct hist_strip *strip)
{
	double size = (double)(object->end - object->start) / (double)strip->count;

	for (size_t i = 0; i < strip->count; i++) {
		struct heat_color color = heat_color(heat_of(strip->ticks[i], strip->peak));

		if (!strip->ticks[i])
			continue;
		(void)fprintf(out,
			      "<rect x=%zu width=1 height=1 fill=#%02x%02x%02x><title>0x%" PRIx64
			      ": %s</title></rect>",
			      i, color.red, color.green, color.blue,
			      object->start + (uint64_t)(size * (double)i),
			      text_many(strip->ticks[i], "sample").text);
	}
}

static int print_strip(FILE *out, const struct hist_object *object)
{
	struct hist_strip strip;
	int ret;

	/* A place that is all there is known of (DOS's own, [dos]) has nowhere to be hot. */
	if (object->end - object->start < 2)
		return 0;
	ret = hist_strip(object, STRIP_CELLS, &strip);
	if (ret < 0)
		return ret;
	(void)fprintf(out,
		      "<svg class=strip viewBox=\"0 0 %zu 1\" preserveAspectRatio=none role=img "
		      "aria-label=\"its text from low to high addresses, where it has samples\">",
		      strip.count);
	print_cells(out, object, &strip);
	(void)fprintf(out,
		      "</svg>\n<p class=ends><span>%" PRIx64
		      "</span><span>%s per mark</span><span>%" PRIx64 "</span></p>\n",
		      object->start, text_size(strip.bytes).text, object->end);
	free(strip.ticks);
	return 0;
}

/* The bar, and on the same ground a mark at the cumulated share, 0 to 100 % from end to end. */
static void print_bar(const struct html_part *part, const struct hist_row *row)
{
	const struct hist *hist = part->view->hist;
	double scale = interval_of_share(hist->peak, hist->total).high;

	if (row->is_fold)
		(void)fputs("<td class=b>", part->section->out);
	else
		html_print_bar(part->section->out, row->ticks, hist->total, scale);
	(void)fprintf(part->section->out, "<u style=left:%.1f%%></u>",
		      100 * (double)row->sum / (double)hist->total);
}

static int print_row(const struct html_part *part, const struct hist_row *row)
{
	const struct hist *hist = part->view->hist;
	FILE *out = part->section->out;
	bool ranks = part->section->ranks;
	char *name = hist_row_name(row);

	if (!name)
		return -ENOMEM;
	(void)fprintf(out, "<tr%s data-samples=%" PRIu64 " style=\"",
		      row->is_fold ? " class=fold" : "", row->ticks);
	html_print_heat(out, row->is_fold ? 0 : heat_of(row->ticks, hist->peak));
	(void)fputs("\">", out);
	html_print_share(out, row->ticks, hist->total, ranks);
	if (ranks)
		(void)fprintf(out, "<td class=v>%s",
			      text_share((double)row->sum / (double)hist->total).text);
	html_print_ticks(out, row->ticks);
	(void)fprintf(out, "<td class=a>%" PRIx64, row->start);
	print_bar(part, row);
	(void)fputs(row->is_fold ? "<td class=f>⋮ " : "<th scope=row class=f><code>", out);
	html_print_function(out, name);
	(void)fputs(row->is_fold ? "\n" : "</code>\n", out);
	free(name);
	return 0;
}

static int print_rows(const struct html_part *part, const struct hist_object *object, size_t number)
{
	FILE *out = part->section->out;
	int ret = 0;

	(void)fprintf(
		out,
		"<details%s><summary>By address</summary>"
		"<div class=scroll role=region tabindex=0 aria-labelledby=o%zu>"
		"<table class=\"rows hist\"><thead><tr>%s<th scope=col class=n>samples"
		"<th scope=col class=a>address<th scope=col class=b><span class=vh>drawn</span>"
		"<th scope=col class=f>function</thead><tbody>\n",
		object->row_count <= 2 * HTML_OPEN ? " open" : "", number,
		part->section->ranks ? "<th scope=col class=n>share<th scope=col class=v>sum" : "");
	for (size_t i = 0; i < object->row_count && !ret; i++)
		ret = print_row(part, &object->rows[i]);
	(void)fputs("</tbody></table></div></details>\n", out);
	return ret;
}

static int print_object(const struct html_part *part, size_t number)
{
	const struct hist_object *object = &part->view->hist->objects[number];
	char *text = hist_object_text(object, /* all= */ true);
	FILE *out = part->section->out;
	int ret;

	if (!text)
		return -ENOMEM;
	(void)fprintf(out,
		      "<details class=object data-samples=%" PRIu64 "%s>\n<summary><h3 id=o%zu>"
		      "<span class=\"dot c%d\"></span>",
		      object->ticks, number ? "" : " open", number, object->class);
	html_print_name(out, object->object);
	(void)fprintf(out, " <small>%s</small></h3></summary>\n<p class=about>",
		      text_many(object->ticks, "sample").text);
	html_print_text(out, text);
	(void)fputs("</p>\n", out);
	free(text);
	ret = print_strip(out, object);
	if (!ret)
		ret = print_rows(part, object, number);
	(void)fputs("</details>\n", out);
	return ret;
}

static void print_sums(const struct html_part *part)
{
	const struct hist *hist = part->view->hist;
	FILE *out = part->section->out;
	uint64_t more = 0;

	for (size_t i = HTML_OBJECTS; i < hist->object_count; i++)
		more = ticks_add(more, hist->objects[i].ticks);
	(void)fprintf(out, "<p class=sums>%s = %s above", text_many(hist->total, "sample").text,
		      text_count(hist->shown - more).text);
	if (more)
		(void)fprintf(out, " + %s in %zu more objects (profil hist has them)",
			      text_count(more).text, hist->object_count - HTML_OBJECTS);
	(void)fprintf(out, " + %s without an address\n", text_count(hist->nowhere).text);
}

int html_hist(const struct html_part *part)
{
	const struct hist *hist = part->view->hist;
	FILE *out = part->section->out;
	int ret = 0;

	(void)fputs(
		"<section id=hist aria-labelledby=hist-title>\n"
		"<h2 id=hist-title>Histogram</h2>\n"
		"<p class=lead>The code of each object from low to high addresses. A bar is full "
		"to "
		"the low end of its 95 % interval and pale to the high end; the mark is the share "
		"of all samples up to there, 0 to 100 % from left to right.\n",
		out);
	for (size_t i = 0; i < hist->object_count && i < HTML_OBJECTS && !ret; i++)
		ret = print_object(part, i);
	print_sums(part);
	(void)fputs("</section>\n", out);
	return ret;
}
