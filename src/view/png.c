// SPDX-License-Identifier: BSD-2-Clause
#include "view/canvas.h"

#include "base/array.h"
#include "base/library.h"
#include "base/write_all.h"
#include "view/text.h"

#include <cairo/cairo.h>
#include <errno.h>
#include <stdlib.h>

/* Drawn by Cairo.  Its library, with all that it needs of fonts and windows, is loaded when a PNG
 * is wanted: each run of a program to be measured would pay for it otherwise. */

#define SIDE_MAX 32767 /* Cairo's */

#define CAIRO_CALLS(X)                 \
	X(image_surface_create)        \
	X(create)                      \
	X(destroy)                     \
	X(surface_destroy)             \
	X(surface_status)              \
	X(surface_write_to_png_stream) \
	X(set_source_rgb)              \
	X(set_line_width)              \
	X(paint)                       \
	X(rectangle)                   \
	X(fill)                        \
	X(move_to)                     \
	X(line_to)                     \
	X(stroke)                      \
	X(select_font_face)            \
	X(set_font_size)               \
	X(text_extents)                \
	X(show_text)

struct png {
	cairo_surface_t *surface;
	cairo_t *cairo;
#define MEMBER(name) __typeof__(cairo_##name) *name;
	CAIRO_CALLS(MEMBER)
};

static int load(struct png *png, struct error *reterr)
{
	const struct library_call calls[] = {
#define ROW(name) {"cairo_" #name, &png->name},
		CAIRO_CALLS(ROW)};

	if (library_load("libcairo.so.2", calls, ARRAY_LENGTH(calls)))
		return 0;
	return error_set(reterr, -ENOENT,
			 "--png: libcairo.so.2 is not here or not complete: install Cairo, or take "
			 "--svg");
}

static int begin(struct canvas *canvas, struct png *png)
{
	png->surface = png->image_surface_create(CAIRO_FORMAT_RGB24, (int)canvas->width,
						 (int)canvas->height);
	png->cairo = png->create(png->surface);
	if (png->surface_status(png->surface) != CAIRO_STATUS_SUCCESS)
		return -ENOMEM;
	png->set_source_rgb(png->cairo, 1, 1, 1);
	png->paint(png->cairo);
	png->set_line_width(png->cairo, 1.2);
	png->select_font_face(png->cairo, "monospace", CAIRO_FONT_SLANT_NORMAL,
			      CAIRO_FONT_WEIGHT_NORMAL);
	return 0;
}

static int png_open(struct canvas *canvas, struct error *reterr)
{
	struct png *png;
	int ret;

	if (canvas->width > SIDE_MAX || canvas->height > SIDE_MAX)
		return error_set(
			reterr, -EFBIG,
			"--png: a picture of %.0f rows of pixels: take fewer rows (-n), or "
			"--svg",
			canvas->height);
	png = calloc(1, sizeof(*png));
	if (!png)
		return -ENOMEM;
	canvas->state = png;
	ret = load(png, reterr);
	return ret ? ret : begin(canvas, png);
}

static void use_color(struct png *png, struct heat_color color)
{
	png->set_source_rgb(png->cairo, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
}

static void png_rectangle(struct canvas *canvas, double x, double y, double width, double height,
			  struct heat_color color, const char *hint)
{
	struct png *png = canvas->state;

	use_color(png, color);
	png->rectangle(png->cairo, x, y, width, height);
	png->fill(png->cairo);
}

static void png_line(struct canvas *canvas, const double *points, size_t count,
		     struct heat_color color)
{
	struct png *png = canvas->state;

	use_color(png, color);
	for (size_t i = 0; i < count; i++) {
		if (i)
			png->line_to(png->cairo, points[2 * i], points[2 * i + 1]);
		else
			png->move_to(png->cairo, points[0], points[1]);
	}
	png->stroke(png->cairo);
}

static void png_text(struct canvas *canvas, double x, double y, double size, double room,
		     enum canvas_align align, struct heat_color color, const char *text)
{
	struct png *png = canvas->state;
	char *cut = text_cut(text, canvas_letters(room, size), /* utf8= */ true);
	cairo_text_extents_t extents;

	if (!cut)
		return;
	use_color(png, color);
	png->set_font_size(png->cairo, size);
	png->text_extents(png->cairo, cut, &extents);
	png->move_to(png->cairo, align == CANVAS_RIGHT ? x - extents.x_advance : x, y);
	png->show_text(png->cairo, cut);
	free(cut);
}

static cairo_status_t write_some(void *closure, const unsigned char *data, unsigned int size)
{
	return write_all(*(int *)closure, data, size) ? CAIRO_STATUS_WRITE_ERROR
						      : CAIRO_STATUS_SUCCESS;
}

static int png_write(struct canvas *canvas, int fd)
{
	struct png *png = canvas->state;

	errno = 0;
	if (png->surface_write_to_png_stream(png->surface, write_some, &fd) == CAIRO_STATUS_SUCCESS)
		return 0;
	return errno ? -errno : -ENOMEM;
}

static void png_close(struct canvas *canvas)
{
	struct png *png = canvas->state;

	if (png && png->cairo)
		png->destroy(png->cairo);
	if (png && png->surface)
		png->surface_destroy(png->surface);
	free(png);
}

const struct canvas_ops canvas_png = {
	.open = png_open,
	.rectangle = png_rectangle,
	.line = png_line,
	.text = png_text,
	.write = png_write,
	.close = png_close,
};
