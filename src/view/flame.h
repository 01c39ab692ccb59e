/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/tree.h"
#include "base/error.h"
#include "view/canvas.h"

/* A tree of calls as a flame graph: each function is a box as wide as its samples with all below
 * it, on its caller (leaf first: on what it calls). */

enum flame_colors {
	FLAME_BY_CLASS,	 /* whose code it is: the program's, libraries', the kernel's ... */
	FLAME_BY_OBJECT, /* the file it is in */
	FLAME_HOT,	 /* reds and yellows, by name */
};

struct flame {
	const struct profile *profile;
	const struct tree *tree;
	const struct tree_functions *functions;
	uint32_t value;	   /* of which the tree is (filter_value()) and 1; 0: samples */
	const char *title; /* NULL: the command that was profiled */
	bool inverted;	   /* roots above, what they call below */
	enum flame_colors colors;
	uint32_t width; /* in pixels, with its margins */
	double narrow;	/* boxes narrower than this are added up, in pixels */
};

/* Draw it into the file PATH, which is replaced whole or not at all; KIND is canvas_svg or
 * canvas_png.  Returns 0, or -errno with a sentence (-ENOMEM has none). */
int flame_draw(const struct flame *flame, const struct canvas_ops *kind, const char *path,
	       struct error *reterr);

/* The colour of what is of CLASS, and which classes there are. */
struct heat_color flame_color(enum profile_class class);
void flame_classes(const struct flame *flame, bool ret_is_there[PROFILE_CLASSES]);

/* Its boxes alone as an element of a page.  Returns 0 or -ENOMEM. */
int flame_embed(const struct flame *flame, FILE *page);
