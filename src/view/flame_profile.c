// SPDX-License-Identifier: BSD-2-Clause
#include "view/flame.h"

#include "analysis/interval.h"
#include "view/text.h"

#include <math.h>
#include <string.h>

/* What the boxes of a profile's flame graph say, and in which colours. */

/* Light, so that dark letters are read on each. */
static const struct heat_color of_class[PROFILE_CLASSES] = {
	[CLASS_PROGRAM] = {240, 150, 96},    [CLASS_LIBRARIES] = {242, 205, 100},
	[CLASS_KERNEL] = {140, 178, 235},    [CLASS_VDSO] = {170, 200, 235},
	[CLASS_ANONYMOUS] = {150, 212, 130}, [CLASS_UNRESOLVED] = {200, 200, 200},
	[CLASS_IDLE] = {225, 225, 225},	     [CLASS_DOS] = {140, 178, 235},
	[CLASS_IO] = {170, 200, 235},	     [CLASS_HIGH] = {200, 200, 200},
	[CLASS_PYTHON] = {120, 208, 180},    [CLASS_TIME] = {196, 168, 228},
};

static const struct heat_color of_rest = {222, 222, 222};

static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	while (*text)
		hash = (hash ^ (uint8_t)*text++) * 16777619u;
	return hash;
}

struct heat_color flame_shade(struct heat_color color, const char *name)
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

static struct heat_color color(const struct flame *flame, const struct flame_box *box)
{
	const struct tree_function *function;
	uint32_t hash;

	if (box->node == TREE_NONE || box->more)
		return of_rest;
	function = flame_function(flame, box->node);
	if (flame->colors == FLAME_BY_CLASS)
		return flame_shade(of_class[function->class], function->name);
	if (flame->colors == FLAME_BY_OBJECT)
		return flame_shade(hue_color(hash_of(function->path)), function->name);
	hash = hash_of(function->name);
	return (struct heat_color){(uint8_t)(225 + hash % 30), (uint8_t)(100 + hash / 30 % 130),
				   (uint8_t)(50 + hash / 3900 % 50)};
}

/* "1,234 samples, 12.3 % (11.2 – 13.4 %)"; of all there are where only a part is drawn. */
static void say(FILE *out, const struct flame *flame, const struct flame_box *box)
{
	uint64_t total = flame->tree->total;
	double share = total ? (double)box->total / (double)total : 0;
	struct interval range = interval_of_share(box->total, total);

	if (flame->profile->value) {
		bool is_count = !strcmp(histogram_value_unit(flame->profile->value - 1), "count");

		(void)fprintf(out, "%s, %s",
			      is_count ? text_many(box->total, "time").text
				       : text_time(box->total).text,
			      text_share(share).text);
		return;
	}
	(void)fprintf(out, "%s", text_count(box->total).text);
	if (box->node == TREE_NONE && box->total != total)
		(void)fprintf(out, " of %s", text_count(total).text);
	(void)fprintf(out, " sample%s", text_plural(box->total));
	if (total >= EVIDENCE_FLOOR)
		(void)fprintf(out, ", %s (%.1f – %.1f %%)", text_share(share).text, 100 * range.low,
			      100 * range.high);
}

static const char *name_of(enum profile_class class)
{
	return class == CLASS_TIME ? "waiting" : profile_class_name(class);
}

static size_t keys(const struct flame *flame, struct flame_key ret_keys[FLAME_KEYS])
{
	bool is_there[PROFILE_CLASSES] = {false};
	size_t count = 0;

	for (size_t i = 0; i < flame->tree->node_count; i++)
		is_there[flame_function(flame, (uint32_t)i)->class] = true;
	for (int class = 0; class < PROFILE_CLASSES && flame->colors == FLAME_BY_CLASS; class ++)
		if (is_there[class])
			ret_keys[count++] = (struct flame_key){of_class[class],
							       name_of((enum profile_class) class)};
	return count;
}

const struct flame_meaning flame_of_profile = {.say = say, .color = color, .keys = keys};
