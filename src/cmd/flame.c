// SPDX-License-Identifier: BSD-2-Clause
#include "view/flame.h"

#include "cmd/command.h"
#include "cmd/reading.h"
#include "cmd/shared.h"
#include "cmd/stacks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_USUAL "profil.svg"
#define WIDTH_USUAL 1200
#define NARROW_USUAL 0.5

struct flame_options {
	struct stacks_options stacks;
	const char *output;
	struct flame flame;
};

static int take_narrow(void *options, const struct option_value *value)
{
	double *narrow = &((struct flame_options *)options)->flame.narrow;
	char *end;

	*narrow = strtod(value->text, &end);
	if (end != value->text && !*end && *narrow >= 0 && *narrow <= 1000)
		return 0;
	return cmd_fail(
		"--minwidth '%s': not a width: give a number of pixels, 0 to 1000, as in 0.5",
		value->text);
}

const struct option_row flame_options[] = {
	OPTION_OUTPUT_ROW("Picture", "write to FILE: SVG, or PNG if it ends so (profil.svg)",
			  INTO(struct flame_options, output)),
	{0, "title", "TEXT", "the title (the command that was profiled)", NULL, VALUE_TEXT,
	 INTO(struct flame_options, flame.title)},
	{0, "width", "N", "N pixels wide (1200)", NULL, VALUE_COUNT, .min = 200, .max = 20000,
	 .accepted = "a number of pixels, 200 to 20000", INTO(struct flame_options, flame.width)},
	{0, "minwidth", "N", "add up what is narrower than N pixels (0.5)", NULL, VALUE_TEXT,
	 .take = take_narrow},
	{0, "colors", "WHAT", "by class (whose code it is), object (its file), or hot (class)",
	 NULL, VALUE_CHOICE, .choices = "class|object|hot",
	 INTO(struct flame_options, flame.colors)},
	{0, "inverted", NULL, "the roots at the top: an icicle graph", NULL,
	 SETS(struct flame_options, flame.inverted, true)},
	OPTION_STACKS_ROWS("Boxes"),
	OPTION_READING_ROWS,
	OPTION_HELP_ROW,
	{0},
};

static bool is_png(const char *path)
{
	size_t length = strlen(path);

	return length > 4 && !strcasecmp(path + length - 4, ".png");
}

/* What was drawn, for people. */
static int say(const struct flame_options *options)
{
	if (!strcmp(options->output, "/dev/stdout"))
		return 0;
	(void)printf("%s\n", options->output);
	errno = 0;
	return fflush(stdout) || ferror(stdout) ? cmd_fail_output(errno) : 0;
}

/* Returns the exit status. */
static int show(void *context, struct profile *profile)
{
	struct flame_options *options = context;
	struct flame *flame = &options->flame;
	struct error error = {""};
	struct stacks stacks;
	int ret;

	/* Leaf first, a tree has every path as often as it is long. */
	options->stacks.min = (uint64_t)(1e6 * flame->narrow / flame->width);
	ret = stacks_make("flame", &options->stacks, profile, &stacks);
	if (ret)
		return ret;
	flame->profile = profile;
	flame->tree = stacks.tree;
	flame->functions = &stacks.functions;
	ret = flame_draw(flame, is_png(options->output) ? &canvas_png : &canvas_svg,
			 options->output, &error);
	stacks_done(&stacks);
	return ret ? cmd_fail_error(ret, &error) : say(options);
}

int command_flame(int argc, char **argv)
{
	struct flame_options options = {
		.output = OUTPUT_USUAL,
		.flame = {.meaning = &flame_of_profile,
			  .width = WIDTH_USUAL,
			  .narrow = NARROW_USUAL},
	};

	return reading_run("flame", argc, argv, &options, NULL, show);
}
