// SPDX-License-Identifier: BSD-2-Clause
#include "view/flame.h"

#include "analysis/interval.h"
#include "base/array.h"
#include "view/assets.h"
#include "view/shorten.h"
#include "view/text.h"

#include <errno.h>
#include <math.h>
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
	uint32_t node; /* index in the tree's; TREE_NONE: all that is in it */
	uint32_t depth;
	uint64_t total;
	uint32_t more; /* so many functions are added up in it; 0: it is one */
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

	for (box.total = 0; i < end; i = tree->nodes[i].end, box.more++)
		box.total += tree->nodes[i].total;
	if (box.more == 1)
		box.more = 0;
	box.width = (double)box.total * drawing->scale;
	*index = end;
	return add_box(drawing, &box);
}

static int add_node(struct drawing *drawing, uint32_t *index)
{
	const struct tree_node *node = &drawing->flame->tree->nodes[*index];
	uint32_t depth = node->depth + 1;
	struct box box = {.node = *index, .depth = depth, .total = node->total};
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
		.x = drawing->left, .width = room, .node = TREE_NONE, .total = tree->shown};
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

/* ---- colours ---- */

static const struct heat_color ink = {32, 32, 32}, faint = {110, 110, 110};

/* Light, so that dark letters are read on each. */
static const struct heat_color of_class[PROFILE_CLASSES] = {
	[CLASS_PROGRAM] = {240, 150, 96},    [CLASS_LIBRARIES] = {242, 205, 100},
	[CLASS_KERNEL] = {140, 178, 235},    [CLASS_VDSO] = {170, 200, 235},
	[CLASS_ANONYMOUS] = {150, 212, 130}, [CLASS_UNRESOLVED] = {200, 200, 200},
	[CLASS_IDLE] = {225, 225, 225},	     [CLASS_DOS] = {140, 178, 235},
	[CLASS_IO] = {170, 200, 235},	     [CLASS_HIGH] = {200, 200, 200},
	[CLASS_PYTHON] = {120, 208, 180},    [CLASS_TIME] = {196, 168, 228},
};

struct heat_color flame_color(enum profile_class class)
{
	return of_class[class];
}

static const struct heat_color of_rest = {222, 222, 222};

static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	while (*text)
		hash = (hash ^ (uint8_t)*text++) * 16777619u;
	return hash;
}

/* Equal names have equal colours, and neighbours are told apart. */
static struct heat_color shade(struct heat_color color, const char *name)
{
	double light = 0.94 + (double)(hash_of(name) % 13) / 100;

	return (struct heat_color){(uint8_t)fmin(255, color.red * light),
				   (uint8_t)fmin(255, color.green * light),
				   (uint8_t)fmin(255, color.blue * light)};
}

/* As light as the others, of any hue. */
static struct heat_color hue_color(uint32_t hash)
{
	double hue = hash % 360 * M_PI / 180, third = 2 * M_PI / 3;

	return (struct heat_color){(uint8_t)(185 + 55 * cos(hue)),
				   (uint8_t)(185 + 55 * cos(hue - third)),
				   (uint8_t)(185 + 55 * cos(hue + third))};
}

static struct heat_color color_of(const struct flame *flame, const struct tree_function *function)
{
	uint32_t hash;

	if (flame->colors == FLAME_BY_CLASS)
		return shade(of_class[function->class], function->name);
	if (flame->colors == FLAME_BY_OBJECT)
		return shade(hue_color(hash_of(function->path)), function->name);
	hash = hash_of(function->name);
	return (struct heat_color){(uint8_t)(225 + hash % 30), (uint8_t)(100 + hash / 30 % 130),
				   (uint8_t)(50 + hash / 3900 % 50)};
}

/* ---- words ---- */

static const struct tree_function *function_of(const struct flame *flame, const struct box *box)
{
	return &flame->functions->list[flame->tree->nodes[box->node].function];
}

/* "1,234 samples, 12.3 % (11.2 – 13.4 %)"; of all there are where only a part is drawn. */
static int print_amount(FILE *out, const struct flame *flame, const struct box *box)
{
	uint64_t total = flame->tree->total;
	double share = total ? (double)box->total / (double)total : 0;
	struct interval range = interval_of_share(box->total, total);

	if (flame->profile->value) {
		bool is_count = !strcmp(histogram_value_unit(flame->profile->value - 1), "count");

		return fprintf(out, "%s, %s",
			       is_count ? text_many(box->total, "time").text
					: text_time(box->total).text,
			       text_share(share).text);
	}
	(void)fprintf(out, "%s", text_count(box->total).text);
	if (box->node == TREE_NONE && box->total != total)
		(void)fprintf(out, " of %s", text_count(total).text);
	(void)fprintf(out, " sample%s", text_plural(box->total));
	if (total < EVIDENCE_FLOOR)
		return 0;
	return fprintf(out, ", %s (%.1f – %.1f %%)", text_share(share).text, 100 * range.low,
		       100 * range.high);
}

static void print_hint(FILE *out, const struct flame *flame, const struct box *box)
{
	if (box->node == TREE_NONE)
		(void)fputs("all\n", out);
	else if (box->more)
		(void)fprintf(out, "%s more functions\n", text_count(box->more).text);
	else
		(void)fprintf(out, "%s\n%s\n", function_of(flame, box)->name,
			      function_of(flame, box)->object);
	(void)print_amount(out, flame, box);
}

/* Heap text, clean, or NULL when memory is short. */
static char *hint_of(const struct flame *flame, const struct box *box)
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

	if (letters < 3 || box->more)
		return;
	text = box->node == TREE_NONE ? strdup("all")
				      : shorten_function(function_of(flame, box)->name, letters,
							 /* utf8= */ true);
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
	char *hint = hint_of(flame, box);

	if (!hint)
		return -ENOMEM;
	drawing->canvas.ops->rectangle(&drawing->canvas, box->x, y, box->width - gap, ROW - 1,
				       box->node == TREE_NONE || box->more
					       ? of_rest
					       : color_of(flame, function_of(flame, box)),
				       hint);
	free(hint);
	draw_label(drawing, box, y);
	return 0;
}

static int draw_boxes(struct drawing *drawing)
{
	int ret = 0;

	for (size_t i = 0; i < drawing->count && !ret; i++)
		ret = draw_box(drawing, &drawing->boxes[i]);
	return ret;
}

static void draw_title(struct drawing *drawing)
{
	const struct flame *flame = drawing->flame;
	const char *command = profile_text(flame->profile, flame->profile->facts.command);
	const char *title = flame->title ? flame->title : *command ? command : "a profile";
	const struct box all = {.node = TREE_NONE, .total = flame->tree->shown};
	char *hint = hint_of(flame, &all);

	/* Beside it the script has two buttons. */
	draw_text(drawing, MARGIN, 22, 15, flame->width - 2 * MARGIN - 160, ink, title);
	if (hint)
		draw_text(drawing, MARGIN, 40, 11, flame->width - 2 * MARGIN, faint,
			  strchr(hint, '\n') + 1);
	free(hint);
}

void flame_classes(const struct flame *flame, bool ret_is_there[PROFILE_CLASSES])
{
	memset(ret_is_there, 0, PROFILE_CLASSES * sizeof(*ret_is_there));
	for (size_t i = 0; i < flame->tree->node_count; i++)
		ret_is_there[flame->functions->list[flame->tree->nodes[i].function].class] = true;
}

/* Which colours stand for what, of those that there are. */
static void draw_legend(struct drawing *drawing, double y)
{
	const struct flame *flame = drawing->flame;
	bool is_there[PROFILE_CLASSES];
	double x = MARGIN;

	if (flame->colors != FLAME_BY_CLASS)
		return;
	flame_classes(flame, is_there);
	for (int class = 0; class < PROFILE_CLASSES; class ++) {
		const char *name = profile_class_name((enum profile_class) class);

		if (!is_there[class])
			continue;
		drawing->canvas.ops->rectangle(&drawing->canvas, x, y - 9, 10, 10, of_class[class],
					       NULL);
		draw_text(drawing, x + 15, y, 11, 120, faint, name);
		x += 30 + 7.2 * (double)strlen(name);
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
