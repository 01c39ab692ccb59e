// SPDX-License-Identifier: BSD-2-Clause
#include "view/canvas.h"

#include "base/write_all.h"
#include "profile/replace.h"
#include "view/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* SVG 1.1, as text, which refers to nothing outside itself. */

/* The font's letters are so wide, beside their height: those of DejaVu Sans Mono, set on whole
 * pixels, and wider than those of most others that "monospace" may be. */
#define LETTER 0.64

struct svg {
	FILE *out;
	char *text;
	size_t size;
};

size_t canvas_letters(double room, double size)
{
	return (size_t)(room / (LETTER * size));
}

int canvas_save(struct canvas *canvas, const struct profile *profile, const char *path,
		struct error *reterr)
{
	struct replace replace;
	int ret = replace_open(&replace, path, profile_privacy(profile), reterr);

	if (ret)
		return ret;
	ret = canvas->ops->write(canvas, replace.fd);
	if (!ret)
		ret = replace_commit(&replace);
	else
		replace_abandon(&replace);
	return ret ? replace_error(reterr, ret, path) : 0;
}

static void print_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			(void)fputs("&lt;", out);
			break;
		case '>':
			(void)fputs("&gt;", out);
			break;
		case '&':
			(void)fputs("&amp;", out);
			break;
		case '"':
			(void)fputs("&quot;", out);
			break;
		default:
			(void)fputc(*text, out);
		}
	}
}

static int svg_open(struct canvas *canvas, struct error *reterr)
{
	struct svg *svg = calloc(1, sizeof(*svg));

	if (svg)
		svg->out = canvas->page ? canvas->page : open_memstream(&svg->text, &svg->size);
	if (!svg || !svg->out) {
		free(svg);
		return -ENOMEM;
	}
	canvas->state = svg;
	if (canvas->page) {
		(void)fprintf(
			svg->out,
			"<svg class=flame role=img aria-label=\"the call stacks, each function "
			"beside its caller\" width=\"%.0f\" height=\"%.0f\" "
			"viewBox=\"0 0 %.0f %.0f\" font-family=\"monospace\">\n",
			canvas->width, canvas->height, canvas->width, canvas->height);
		return 0;
	}
	(void)fprintf(svg->out,
		      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		      "viewBox=\"0 0 %.0f %.0f\" font-family=\"monospace\">\n"
		      "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		      canvas->width, canvas->height, canvas->width, canvas->height);
	return 0;
}

static void svg_rectangle(struct canvas *canvas, double x, double y, double width, double height,
			  struct heat_color color, const char *hint)
{
	FILE *out = ((struct svg *)canvas->state)->out;

	(void)fprintf(out,
		      "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
		      "fill=\"#%02x%02x%02x\"",
		      x, y, width, height, color.red, color.green, color.blue);
	if (!hint) {
		(void)fputs("/>\n", out);
		return;
	}
	(void)fputs("><title>", out);
	print_escaped(out, hint);
	(void)fputs("</title></rect>\n", out);
}

static void svg_line(struct canvas *canvas, const double *points, size_t count,
		     struct heat_color color)
{
	FILE *out = ((struct svg *)canvas->state)->out;

	(void)fprintf(out,
		      "<polyline fill=\"none\" stroke=\"#%02x%02x%02x\" stroke-width=\"1.2\" "
		      "points=\"",
		      color.red, color.green, color.blue);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "%s%.2f,%.2f", i ? " " : "", points[2 * i], points[2 * i + 1]);
	(void)fputs("\"/>\n", out);
}

static void svg_text(struct canvas *canvas, double x, double y, double size, double room,
		     enum canvas_align align, struct heat_color color, const char *text)
{
	FILE *out = ((struct svg *)canvas->state)->out;
	char *cut = text_cut(text, canvas_letters(room, size), /* utf8= */ true);

	(void)fprintf(out,
		      "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.0f\" fill=\"#%02x%02x%02x\"%s "
		      "xml:space=\"preserve\">",
		      x, y, size, color.red, color.green, color.blue,
		      align == CANVAS_RIGHT ? " text-anchor=\"end\"" : "");
	print_escaped(out, cut ? cut : "");
	(void)fputs("</text>\n", out);
	free(cut);
}

static int svg_write(struct canvas *canvas, int fd)
{
	struct svg *svg = canvas->state;

	if (canvas->script)
		(void)fprintf(svg->out, "<script><![CDATA[\n%s]]></script>\n", canvas->script);
	(void)fputs("</svg>\n", svg->out);
	if (canvas->page)
		return 0;
	if (fflush(svg->out) || ferror(svg->out) || !svg->text)
		return -ENOMEM;
	return write_all(fd, svg->text, svg->size);
}

static void svg_close(struct canvas *canvas)
{
	struct svg *svg = canvas->state;

	if (!svg)
		return;
	if (!canvas->page)
		(void)fclose(svg->out);
	free(svg->text);
	free(svg);
}

const struct canvas_ops canvas_svg = {
	.open = svg_open,
	.rectangle = svg_rectangle,
	.line = svg_line,
	.text = svg_text,
	.write = svg_write,
	.close = svg_close,
};
