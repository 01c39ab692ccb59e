/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/error.h"
#include "profile/profile.h"
#include "view/heat.h"

#include <stdint.h>
#include <stdio.h>

/* What a picture is drawn on: rectangles, lines and text, in pixels from the upper left corner.
 * Text and hints are clean UTF-8 (text_clean_utf8()).  A
 * kind of picture is one file with a struct canvas_ops. */

struct canvas {
	const struct canvas_ops *ops;
	double width, height;
	const char *script; /* SVG: what moves it in a browser; NULL: nothing */
	FILE *page;  /* SVG: the page that it becomes an element of; NULL: a file of its own */
	void *state; /* of the kind */
};

enum canvas_align { CANVAS_LEFT, CANVAS_RIGHT };

struct canvas_ops {
	/* Open CANVAS, which has its size, with a white ground.  Returns 0, or -errno with a
	 * sentence. */
	int (*open)(struct canvas *canvas, struct error *reterr);
	/* HINT is shown when it is pointed at, where the kind can do that; may be NULL. */
	void (*rectangle)(struct canvas *canvas, double x, double y, double width, double height,
			  struct heat_color color, const char *hint);
	/* A line through COUNT points, x before y. */
	void (*line)(struct canvas *canvas, const double *points, size_t count,
		     struct heat_color color);
	/* TEXT stands on the line Y, SIZE pixels high, and is cut where it would be wider than
	 * ROOM. */
	void (*text)(struct canvas *canvas, double x, double y, double size, double room,
		     enum canvas_align align, struct heat_color color, const char *text);
	/* Write all to FD.  Returns 0 or -errno. */
	int (*write)(struct canvas *canvas, int fd);
	/* Free the state; takes one that could not be opened. */
	void (*close)(struct canvas *canvas);
};

extern const struct canvas_ops canvas_svg, canvas_png;

/* How many letters of a text SIZE pixels high fit into ROOM. */
size_t canvas_letters(double room, double size);

/* Write CANVAS, which is of PROFILE, into the file PATH, which is replaced whole or not at all.
 * Returns 0, or -errno with a sentence (-ENOMEM has none). */
int canvas_save(struct canvas *canvas, const struct profile *profile, const char *path,
		struct error *reterr);
