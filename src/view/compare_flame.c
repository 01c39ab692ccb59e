// SPDX-License-Identifier: BSD-2-Clause
#include "view/compare_private.h"

#include "analysis/tree_order.h"
#include "view/html_section.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* A comparison by frame as a flame graph.  A box is as wide as the mean of both sides, so that what
 * is gone is seen as well as what is new.  It has a colour where the change is significant; grey
 * says that nothing is known, not that nothing is there. */

/* Half of the mean of the whole is so many units of a box's width. */
#define UNITS 1e12

/* ---- what a box is of ---- */

/* All that is in the picture is the whole, unless that was filtered. */
static void take_whole(const struct diff *diff, struct diff_row *row)
{
	for (int side = 0; side < DIFF_SIDES; side++)
		if (row->parts[side].ticks != diff->totals[side].ticks)
			return;
	row->change = diff->total_change;
	row->interval = diff->total_interval;
	row->probability = diff->total_probability;
	row->significant = diff->total_probability <= SIGNIFICANCE_LEVEL;
}

/* The row of BOX, or the sum of several, of which *RET_CHANGED changed: those are not tested. */
static struct diff_row row_of(const struct flame *flame, const struct flame_box *box,
			      uint32_t *ret_changed)
{
	const struct diff *diff = ((const struct comparison *)flame->of)->diff;
	const struct tree *tree = flame->tree;
	bool is_all = box->node == TREE_NONE;
	struct diff_row sum = {.name = "", .interval = {-INFINITY, INFINITY}, .probability = 1};
	uint32_t i = is_all ? 0 : box->node, left = box->more;

	if (!is_all && !box->more)
		return diff->rows[tree->nodes[box->node].function];
	for (; is_all ? i < tree->node_count : left--; i = tree->nodes[i].end) {
		const struct diff_row *row = &diff->rows[tree->nodes[i].function];

		for (int side = 0; side < DIFF_SIDES; side++) {
			sum.parts[side].value += row->parts[side].value;
			sum.parts[side].ticks =
				ticks_add(sum.parts[side].ticks, row->parts[side].ticks);
		}
		*ret_changed += row->significant;
	}
	sum.change = sum.parts[DIFF_AFTER].value - sum.parts[DIFF_BEFORE].value;
	if (is_all && diff->per != DIFF_PER_TICKS)
		take_whole(diff, &sum);
	return sum;
}

/* ---- colours: red and blue, which eyes that do not tell red from green tell apart, too ---- */

static const struct heat_color grey = {214, 214, 214};

/* Of a change by nothing, and of what is new or gone. */
static const struct heat_color more[2] = {{250, 196, 172}, {236, 112, 82}};
static const struct heat_color less[2] = {{178, 210, 246}, {98, 162, 234}};

static uint8_t between(uint8_t low, uint8_t high, double part)
{
	return (uint8_t)(low + part * (high - low));
}

static struct heat_color color(const struct flame *flame, const struct flame_box *box)
{
	struct diff_row row = row_of(flame, box, &(uint32_t){0});
	const struct heat_color *ends = row.change > 0 ? more : less;
	double most = fmax(row.parts[DIFF_BEFORE].value, row.parts[DIFF_AFTER].value);
	double part = most > 0 ? fabs(row.change) / most : 0;

	if (!row.significant)
		return flame_shade(grey, row.name);
	return (struct heat_color){between(ends[0].red, ends[1].red, part),
				   between(ends[0].green, ends[1].green, part),
				   between(ends[0].blue, ends[1].blue, part)};
}

/* ---- words ---- */

static const char *word(const struct comparison *comparison, bool grew)
{
	if (comparison->diff->per == DIFF_PER_TICKS)
		return grew ? "a larger share" : "a smaller share";
	if (comparison->value)
		return grew ? "more" : "less";
	return grew ? "slower" : "faster";
}

static size_t keys(const struct flame *flame, struct flame_key ret_keys[FLAME_KEYS])
{
	const struct comparison *comparison = flame->of;

	ret_keys[0] = (struct flame_key){more[1], word(comparison, /* grew= */ true)};
	ret_keys[1] = (struct flame_key){less[1], word(comparison, /* grew= */ false)};
	ret_keys[2] = (struct flame_key){grey, "not distinguishable: it may have changed or not"};
	return 3;
}

static void say_part(FILE *out, const struct comparison *comparison, const char *when,
		     const struct diff_part *part)
{
	(void)fprintf(out, "%s %s", when, comparison_value(comparison, part->value).text);
	if (!comparison->value)
		(void)fprintf(out, " (%s)", text_many(part->ticks, "sample").text);
}

static void say_change(FILE *out, const struct comparison *comparison, const struct diff_row *row)
{
	double before = row->parts[DIFF_BEFORE].value;
	bool shares = comparison->diff->per == DIFF_PER_TICKS;

	say_part(out, comparison, "before", &row->parts[DIFF_BEFORE]);
	say_part(out, comparison, ", after", &row->parts[DIFF_AFTER]);
	(void)fprintf(out, ", change %s %s", comparison_change(comparison, row->change).text,
		      shares ? "points" : comparison->unit);
	if (!shares && before > 0)
		(void)fprintf(out, " (%s)", comparison_relative(before, row->change).text);
	if (row->match == DIFF_NEW || row->match == DIFF_GONE)
		(void)fprintf(out, ", %s", diff_match_name(row->match));
}

static void say_test(FILE *out, const struct comparison *comparison, const struct diff_row *row,
		     bool is_one)
{
	if (isfinite(row->interval.low))
		(void)fprintf(out, ", 95 %% interval %s – %s, p %s: %s",
			      comparison_change(comparison, row->interval.low).text,
			      comparison_change(comparison, row->interval.high).text,
			      comparison_probability(row->probability).text,
			      row->significant ? word(comparison, row->change > 0)
					       : "not distinguishable");
	else if (is_one)
		(void)fputs(": not tested", out);
}

static void say(FILE *out, const struct flame *flame, const struct flame_box *box)
{
	const struct comparison *comparison = flame->of;
	uint32_t changed = 0;
	struct diff_row row = row_of(flame, box, &changed);

	say_change(out, comparison, &row);
	if (!box->more)
		say_test(out, comparison, &row, box->node != TREE_NONE);
	else if (changed)
		(void)fprintf(out, ": %u of them changed", changed);
	else
		(void)fputs(": none of them distinguishable", out);
}

static const struct flame_meaning meaning = {.say = say, .color = color, .keys = keys};

/* ---- the tree ---- */

static uint64_t width_of(const struct diff *diff, const struct diff_row *row)
{
	double whole = diff->totals[DIFF_BEFORE].value + diff->totals[DIFF_AFTER].value;
	double both = row->parts[DIFF_BEFORE].value + row->parts[DIFF_AFTER].value;

	return whole > 0 ? (uint64_t)(UNITS * both / whole) : 0;
}

/* Callers stand before what they called, as in the rows. */
static int make_tree(const struct diff *diff, struct tree_function *functions, struct tree *tree)
{
	for (uint32_t i = 0; i < diff->row_count; i++) {
		const struct diff_row *row = &diff->rows[i];
		struct tree_node *node = &tree->nodes[i];

		*node = (struct tree_node){.parent = row->parent ? row->parent - 1 : TREE_NONE,
					   .function = i,
					   .total = width_of(diff, row)};
		functions[i] = (struct tree_function){
			.name = row->name, .object = row->object, .path = row->path};
		if (!row->parent)
			tree->shown += node->total;
	}
	tree->node_count = diff->row_count;
	tree->total = tree->shown;
	return tree_put_in_order(tree);
}

int comparison_flame(const struct comparison *comparison, uint32_t width, double narrow)
{
	size_t count = comparison->diff->row_count;
	struct tree tree = {.nodes = calloc(count + 1, sizeof(*tree.nodes))};
	struct tree_functions functions = {.list = calloc(count + 1, sizeof(*functions.list))};
	const struct flame flame = {
		.meaning = &meaning,
		.of = comparison,
		.tree = &tree,
		.functions = &functions,
		.inverted = true,
		.width = width,
		.narrow = narrow,
	};
	int ret = tree.nodes && functions.list ? make_tree(comparison->diff, functions.list, &tree)
					       : -ENOMEM;

	if (!ret)
		ret = html_flame(comparison->out, &flame, "flame",
				 comparison->diff->per == DIFF_PER_TICKS
					 ? "the mean of its shares before and after"
					 : "the mean of its times before and after",
				 NULL);
	free(tree.nodes);
	free(functions.list);
	return ret;
}
