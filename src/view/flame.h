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

struct flame;

/* What a box is of. */
struct flame_box {
	uint32_t node;	/* index in the tree's; TREE_NONE: all that is in it */
	uint32_t more;	/* so many siblings, from that on, are added up in it; 0: it is one */
	uint32_t below; /* of one: so many boxes on it are too narrow to be drawn */
	uint64_t total;
};

struct flame_key {
	struct heat_color color;
	const char *name;
};
#define FLAME_KEYS 16

/* What boxes mean, beside their names. */
struct flame_meaning {
	/* The last line of what is said of a box. */
	void (*say)(FILE *out, const struct flame *flame, const struct flame_box *box);
	struct heat_color (*color)(const struct flame *flame, const struct flame_box *box);
	/* What the colours stand for, of those that there are; returns how many. */
	size_t (*keys)(const struct flame *flame, struct flame_key ret_keys[FLAME_KEYS]);
};
extern const struct flame_meaning flame_of_profile;

struct flame {
	const struct flame_meaning *meaning;
	const void *of; /* the meaning's own */
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

static inline const struct tree_function *flame_function(const struct flame *flame, uint32_t node)
{
	return &flame->functions->list[flame->tree->nodes[node].function];
}

/* COLOR for what has NAME: equal names have equal colours, and neighbours are told apart. */
struct heat_color flame_shade(struct heat_color color, const char *name);

/* Its boxes alone as an element of a page.  Returns 0 or -ENOMEM. */
int flame_embed(const struct flame *flame, FILE *page);
