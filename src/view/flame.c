// SPDX-License-Identifier: BSD-2-Clause
#include "view/flame.h"

#include "base/array.h"
#include "base/progress.h"
#include "view/assets.h"
#include "view/shorten.h"
#include "view/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 16.0
#define TITLE 48.0
#define ROW 17.0
#define FOOT 40.0
#define LETTERS 12.0 /* high */
#define PAD 3.0	     /* between a box and its text */

struct box {
	double x, width;
	uint32_t depth;
	struct flame_box of;
};

struct drawing {
	const struct flame *flame;
	struct canvas canvas;
	double left, top, scale; /* scale: pixels of a sample */
	struct box *boxes;
	size_t count, capacity;
	double *next; /* where the next box of each depth begins */
	size_t next_capacity;
	uint32_t rows;
};

/* ---- where boxes stand ---- */

static int add_box(struct drawing *drawing, const struct box *box)
{
	if (ARRAY_RESERVE(drawing->boxes, drawing->capacity, drawing->count + 1))
		return -ENOMEM;
	drawing->boxes[drawing->count++] = *box;
	if (drawing->rows <= box->depth)
		drawing->rows = box->depth + 1;
	return 0;
}

/* Node INDEX and the siblings behind it, which have as few samples or fewer, in one box.  *INDEX
 * becomes the node behind them. */
static int add_rest(struct drawing *drawing, struct box box, uint32_t *index)
{
	const struct tree *tree = drawing->flame->tree;
	uint32_t parent = tree->nodes[*index].parent, i = *index;
	uint32_t end = parent == TREE_NONE ? (uint32_t)tree->node_count : tree->nodes[parent].end;

	for (box.of.total = 0; i < end; i = tree->nodes[i].end, box.of.more++)
		box.of.total += tree->nodes[i].total;
	if (box.of.more == 1) {
		box.of.more = 0;
		box.of.below = tree->nodes[*index].end - *index - 1;
	}
	box.width = (double)box.of.total * drawing->scale;
	*index = end;
	return add_box(drawing, &box);
}

static int add_node(struct drawing *drawing, uint32_t *index)
{
	const struct tree_node *node = &drawing->flame->tree->nodes[*index];
	uint32_t depth = node->depth + 1;
	struct box box = {.depth = depth, .of = {.node = *index, .total = node->total}};
	int ret;

	if (ARRAY_RESERVE(drawing->next, drawing->next_capacity, depth + 2U))
		return -ENOMEM;
	box.x = drawing->next[depth];
	box.width = (double)node->total * drawing->scale;
	if (box.width < drawing->flame->narrow)
		return add_rest(drawing, box, index);
	ret = add_box(drawing, &box);
	drawing->next[depth] += box.width;
	drawing->next[depth + 1] = box.x;
	++*index;
	return ret;
}

/* All boxes, the whole first, each before those on it. */
static int place(struct drawing *drawing)
{
	const struct tree *tree = drawing->flame->tree;
	double room = (double)drawing->flame->width - 2 * drawing->left;
	const struct box all = {
		.x = drawing->left, .width = room, .of = {.node = TREE_NONE, .total = tree->shown}};
	int ret = add_box(drawing, &all);

	if (!tree->shown)
		return ret;
	drawing->scale = room / (double)tree->shown;
	if (ARRAY_RESERVE(drawing->next, drawing->next_capacity, 2))
		return -ENOMEM;
	drawing->next[1] = drawing->left;
	for (uint32_t i = 0; i < tree->node_count && !ret;)
		ret = add_node(drawing, &i);
	return ret;
}

static double height_of(const struct drawing *drawing)
{
	return ROW * drawing->rows;
}

static const struct heat_color ink = {32, 32, 32}, faint = {110, 110, 110};

/* ---- words ---- */

static const struct tree_function *function_of(const struct flame *flame,
					       const struct flame_box *box)
{
	return flame_function(flame, box->node);
}

static void print_hint(FILE *out, const struct flame *flame, const struct flame_box *box)
{
	if (box->node == TREE_NONE)
		(void)fputs("all\n", out);
	else if (box->more)
		(void)fprintf(out, "%s more functions\n", text_count(box->more).text);
	else
		(void)fprintf(out, "%s\n%s\n", function_of(flame, box)->name,
			      function_of(flame, box)->object);
	flame->meaning->say(out, flame, box);
	if (box->below)
		(void)fprintf(out, "; %s too narrow", text_many(box->below, "more function").text);
}

/* Heap text, clean, or NULL when memory is short. */
static char *hint_of(const struct flame *flame, const struct flame_box *box)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	print_hint(out, flame, box);
	if (fclose(out))
		return NULL;
	for (char *line = text, *end; line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		text_clean_utf8(line);
		if (end)
			*end++ = '\n';
	}
	return text;
}

static void draw_text(struct drawing *drawing, double x, double y, double size, double room,
		      struct heat_color color, const char *text)
{
	char *clean = strdup(text);

	if (!clean)
		return;
	text_clean_utf8(clean);
	drawing->canvas.ops->text(&drawing->canvas, x, y, size, room, CANVAS_LEFT, color, clean);
	free(clean);
}

static void draw_label(struct drawing *drawing, const struct box *box, double y)
{
	const struct flame *flame = drawing->flame;
	double room = box->width - 2 * PAD;
	size_t letters = room > 0 ? canvas_letters(room, LETTERS) : 0;
	char *text;

	if (letters < 3 || box->of.more)
		return;
	text = box->of.node == TREE_NONE ? strdup("all")
					 : shorten_function(function_of(flame, &box->of)->name,
							    letters, /* utf8= */ true);
	if (text)
		draw_text(drawing, box->x + PAD, y + ROW - 5, LETTERS, room, ink, text);
	free(text);
}

/* ---- the drawing ---- */

static int draw_box(struct drawing *drawing, const struct box *box)
{
	const struct flame *flame = drawing->flame;
	uint32_t row = flame->inverted ? box->depth : drawing->rows - 1 - box->depth;
	double y = drawing->top + ROW * row, gap = box->width > 2 ? 0.5 : 0;
	char *hint = hint_of(flame, &box->of);

	if (!hint)
		return -ENOMEM;
	drawing->canvas.ops->rectangle(&drawing->canvas, box->x, y, box->width - gap, ROW - 1,
				       flame->meaning->color(flame, &box->of), hint);
	free(hint);
	draw_label(drawing, box, y);
	return 0;
}

static int draw_boxes(struct drawing *drawing)
{
	int ret = 0;

	progress_begin("flame graph", "boxes");
	for (size_t i = 0; i < drawing->count && !ret; i++) {
		progress_at(i, drawing->count);
		ret = draw_box(drawing, &drawing->boxes[i]);
	}
	progress_end();
	return ret;
}

static void draw_title(struct drawing *drawing)
{
	const struct flame *flame = drawing->flame;
	const char *command = profile_text(flame->profile, flame->profile->facts.command);
	const char *title = flame->title ? flame->title : *command ? command : "a profile";
	const struct flame_box all = {.node = TREE_NONE, .total = flame->tree->shown};
	char *hint = hint_of(flame, &all);

	/* Beside it the script has two buttons. */
	draw_text(drawing, MARGIN, 22, 15, flame->width - 2 * MARGIN - 160, ink, title);
	if (hint)
		draw_text(drawing, MARGIN, 40, 11, flame->width - 2 * MARGIN, faint,
			  strchr(hint, '\n') + 1);
	free(hint);
}

/* Which colours stand for what, of those that there are. */
static void draw_legend(struct drawing *drawing, double y)
{
	struct flame_key keys[FLAME_KEYS];
	size_t count = drawing->flame->meaning->keys(drawing->flame, keys);
	double x = MARGIN;

	for (size_t i = 0; i < count; i++) {
		drawing->canvas.ops->rectangle(&drawing->canvas, x, y - 9, 10, 10, keys[i].color,
					       NULL);
		draw_text(drawing, x + 15, y, 11, 120, faint, keys[i].name);
		x += 30 + 7.2 * (double)strlen(keys[i].name);
	}
}

static void done(struct drawing *drawing)
{
	free(drawing->boxes);
	free(drawing->next);
}

int flame_draw(const struct flame *flame, const struct canvas_ops *kind, const char *path,
	       struct error *reterr)
{
	struct drawing drawing = {.flame = flame, .left = MARGIN, .top = TITLE};
	int ret = place(&drawing);

	if (ret) {
		done(&drawing);
		return ret;
	}
	drawing.canvas = (struct canvas){
		.ops = kind,
		.width = flame->width,
		.height = TITLE + height_of(&drawing) + FOOT,
		.script = flame_js,
	};
	ret = kind->open(&drawing.canvas, reterr);
	if (!ret) {
		draw_title(&drawing);
		draw_legend(&drawing, drawing.canvas.height - 10);
		ret = draw_boxes(&drawing);
	}
	if (!ret)
		ret = canvas_save(&drawing.canvas, flame->profile, path, reterr);
	kind->close(&drawing.canvas);
	done(&drawing);
	return ret;
}

int flame_embed(const struct flame *flame, FILE *page)
{
	struct drawing drawing = {.flame = flame};
	int ret = place(&drawing);

	drawing.canvas = (struct canvas){
		.ops = &canvas_svg,
		.width = flame->width,
		.height = height_of(&drawing),
		.page = page,
	};
	if (!ret)
		ret = canvas_svg.open(&drawing.canvas, NULL);
	if (!ret)
		ret = draw_boxes(&drawing);
	if (!ret)
		ret = canvas_svg.write(&drawing.canvas, -1);
	canvas_svg.close(&drawing.canvas);
	done(&drawing);
	return ret;
}
