// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/interval.h"
#include "view/canvas.h"
#include "view/hist_section.h"
#include "view/shorten.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

/* The picture: for each object a strip of its whole text and, unless strips alone are wanted, its
 * buckets from low to high with the cumulated share as a line through them. */

#define WIDTH 1200.0
#define MARGIN 16.0
#define TITLE 44.0
#define OBJECT 52.0 /* name and strip */
#define STRIP 18.0
#define ROW 16.0
#define FOOT 56.0
#define SMALL 11.0
#define BARS 215.0 /* where they begin ... */
#define BAR 420.0  /* ... and how long the longest is */
#define NAMES (BARS + BAR + 16)
#define STRIP_CELLS 584 /* of two pixels */

static const struct heat_color ink = {32, 32, 32}, faint = {120, 120, 120},
			       ground = {238, 240, 243}, curve = {70, 70, 90};

struct picture {
	const struct hist *hist;
	struct canvas canvas;
	double y;
	double scale; /* the share that a whole bar stands for */
	bool ranks;
};

static double height_of(const struct hist *hist, bool strip)
{
	double height = TITLE + FOOT;

	for (size_t i = 0; i < hist->object_count; i++)
		height +=
			OBJECT + ROW + (strip ? 0 : ROW * (double)(hist->objects[i].row_count + 1));
	return height;
}

__attribute__((format(printf, 6, 7))) static void write_text(struct picture *picture, double x,
							     double size, double room,
							     enum canvas_align align,
							     const char *format, ...)
{
	struct heat_color color = size > SMALL ? ink : faint;
	va_list args;
	char *text;
	int ret;

	va_start(args, format);
	ret = vasprintf(&text, format, args);
	va_end(args);
	if (ret < 0)
		return;
	text_clean_utf8(text);
	picture->canvas.ops->text(&picture->canvas, x, picture->y, size, room, align, color, text);
	free(text);
}

static void draw_title(struct picture *picture)
{
	const struct profile *profile = picture->hist->profile;
	const char *command = profile_text(profile, profile->facts.command);

	picture->y = 24;
	write_text(picture, MARGIN, 15, WIDTH - 2 * MARGIN, CANVAS_LEFT, "%s · %s",
		   *command ? command : "a profile",
		   text_many(picture->hist->total, "sample").text);
	picture->y = TITLE;
}

static int draw_strip(struct picture *picture, const struct hist_object *object)
{
	double size = (double)(object->end - object->start), width;
	struct hist_strip strip;
	char hint[128];
	int ret = hist_strip(object, STRIP_CELLS, &strip);

	if (ret < 0)
		return ret;
	width = (WIDTH - 2 * MARGIN) / (double)strip.count;
	picture->canvas.ops->rectangle(&picture->canvas, MARGIN, picture->y, WIDTH - 2 * MARGIN,
				       STRIP, ground, NULL);
	for (size_t i = 0; i < strip.count; i++) {
		if (!strip.ticks[i])
			continue;
		(void)snprintf(hint, sizeof(hint), "0x%" PRIx64 ": %s",
			       object->start + (uint64_t)(size * (double)i / (double)strip.count),
			       text_many(strip.ticks[i], "sample").text);
		picture->canvas.ops->rectangle(
			&picture->canvas, MARGIN + (double)i * width, picture->y, width, STRIP,
			heat_color(heat_of(strip.ticks[i], strip.peak)), hint);
	}
	free(strip.ticks);
	return 0;
}

static int draw_object(struct picture *picture, const struct hist_object *object)
{
	char *text = hist_object_text(object, /* all= */ true);
	int ret;

	if (!text)
		return -ENOMEM;
	picture->y += ROW;
	write_text(picture, MARGIN, 13, WIDTH - 2 * MARGIN, CANVAS_LEFT, "%s: %s; %s",
		   object->object, text_many(object->ticks, "sample").text, text);
	free(text);
	picture->y += 6;
	ret = draw_strip(picture, object);
	picture->y += STRIP + 12;
	write_text(picture, MARGIN, SMALL, 200, CANVAS_LEFT, "%" PRIx64, object->start);
	write_text(picture, WIDTH - MARGIN, SMALL, 200, CANVAS_RIGHT, "%" PRIx64, object->end);
	picture->y += OBJECT - 6 - STRIP - 12;
	return ret;
}

static void draw_name(struct picture *picture, const struct hist_row *row, const char *name)
{
	double room = WIDTH - MARGIN - NAMES;
	char *text;

	if (row->is_fold) {
		write_text(picture, NAMES, SMALL, room, CANVAS_LEFT, "… %s", name);
		return;
	}
	text = shorten_function(name, canvas_letters(room, 12), /* utf8= */ true);
	write_text(picture, NAMES, 12, room, CANVAS_LEFT, "%s", text ? text : name);
	free(text);
}

static int draw_row(struct picture *picture, const struct hist_row *row)
{
	struct interval range = interval_of_share(row->ticks, picture->hist->total);
	double share = (double)row->ticks / (double)picture->hist->total;
	double top = picture->y - ROW + 4;
	char *name = hist_row_name(row);

	if (!name)
		return -ENOMEM;
	text_clean_utf8(name);
	write_text(picture, BARS - 8, SMALL, 120, CANVAS_RIGHT, "%" PRIx64, row->start);
	if (row->ticks)
		write_text(picture, MARGIN + 66, 12, 66, CANVAS_RIGHT, "%s",
			   picture->ranks ? text_share(share).text : text_count(row->ticks).text);
	if (!row->is_fold) {
		struct heat_color color = heat_color(heat_of(row->ticks, picture->hist->peak));
		double sure = BAR * range.low / picture->scale;
		double may = BAR * range.high / picture->scale;

		picture->canvas.ops->rectangle(&picture->canvas, BARS, top, sure, ROW - 4, color,
					       name);
		picture->canvas.ops->rectangle(&picture->canvas, BARS + sure, top + 3, may - sure,
					       ROW - 10, color, name);
	}
	draw_name(picture, row, name);
	free(name);
	picture->y += ROW;
	return 0;
}

static int draw_rows(struct picture *picture, const struct hist_object *object)
{
	double *points = calloc(2 * object->row_count + 1, sizeof(*points));
	int ret = points ? 0 : -ENOMEM;

	for (size_t i = 0; i < object->row_count && !ret; i++) {
		points[2 * i] =
			BARS + BAR * (double)object->rows[i].sum / (double)picture->hist->total;
		points[2 * i + 1] = picture->y - ROW / 4;
		ret = draw_row(picture, &object->rows[i]);
	}
	if (!ret && object->row_count > 1)
		picture->canvas.ops->line(&picture->canvas, points, object->row_count, curve);
	free(points);
	return ret;
}

static void draw_foot(struct picture *picture, bool strip)
{
	const struct hist *hist = picture->hist;

	picture->y += 12;
	write_text(picture, MARGIN, SMALL, WIDTH - 2 * MARGIN, CANVAS_LEFT,
		   "%s samples = %s above + %s without an address + %s in other objects",
		   text_count(hist->total).text, text_count(hist->shown).text,
		   text_count(hist->nowhere).text, text_count(hist->filtered).text);
	picture->y += ROW;
	if (!strip)
		write_text(picture, MARGIN, SMALL, WIDTH - 2 * MARGIN, CANVAS_LEFT, "%s",
			   "bar: full to the low end of the 95 % interval, thin to its high end; "
			   "line: cumulated share, 0 to 100 %");
}

static int draw(struct picture *picture, bool strip)
{
	const struct hist *hist = picture->hist;
	int ret = 0;

	draw_title(picture);
	for (size_t i = 0; i < hist->object_count && !ret; i++) {
		ret = draw_object(picture, &hist->objects[i]);
		picture->y += strip ? 0 : ROW;
		if (!ret && !strip)
			ret = draw_rows(picture, &hist->objects[i]);
	}
	draw_foot(picture, strip);
	return ret;
}

int hist_draw(const struct hist *hist, enum hist_picture kind, bool strip, const char *path,
	      struct error *reterr)
{
	struct picture picture = {
		.hist = hist,
		.canvas = {.ops = kind == HIST_PNG ? &canvas_png : &canvas_svg,
			   .width = WIDTH,
			   .height = height_of(hist, strip)},
		.scale = interval_of_share(hist->peak, hist->total).high,
		.ranks = hist->total >= EVIDENCE_FLOOR,
	};
	int ret = picture.canvas.ops->open(&picture.canvas, reterr);

	if (!ret)
		ret = draw(&picture, strip);
	if (!ret)
		ret = canvas_save(&picture.canvas, hist->profile, path, reterr);
	picture.canvas.ops->close(&picture.canvas);
	return ret;
}
