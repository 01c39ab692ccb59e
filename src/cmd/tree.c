// SPDX-License-Identifier: BSD-2-Clause
#include "view/tree.h"

#include "analysis/inlines.h"
#include "cmd/command.h"
#include "cmd/reading.h"
#include "cmd/shared.h"
#include "cmd/stacks.h"
#include "cmd/top.h"

#include <errno.h>

/* Those of all call stacks stand first. */
struct tree_command {
	struct stacks_options stacks;
	bool interactive;
};

const struct option_row tree_options[] = {
	{0, "interactive", NULL, "on the whole terminal: fold it, look into functions, by key",
	 "Screen", SETS(struct tree_command, interactive, true)},
	OPTION_STACKS_ROWS("Rows"),
	{0, "depth", "N", "at most N calls below each other, 0 for all (0)", NULL, VALUE_COUNT,
	 .max = 1 << 30, .accepted = "a number of calls, 0 for all",
	 INTO(struct stacks_options, tree.depth)},
	OPTION_MIN_ROW("add up what has less than this part of all samples (0.5%)",
		       INTO(struct stacks_options, min)),
	OPTION_READING_ROWS,

	OPTION_TABLE_FORM_ROWS("colour: "),
	{0},
};

static int print(const struct stacks_options *options, const struct stacks *stacks)
{
	const struct tree_page page = {
		.profile = stacks->profile,
		.tree = stacks->tree,
		.functions = &stacks->functions,
		.reverse = stacks->tree_options.reverse,
		.min = stacks->tree_options.min,
		.depth = stacks->tree_options.depth,
		.account = stacks->account,
	};
	struct report_style style;
	FILE *out;

	reading_style(&options->reading, &style);
	out = reading_output(style.form);
	return out ? tree_print(out, &page, &style) : -ENOMEM;
}

/* What a screen cannot do is refused.  Returns 0 or the exit status. */
static int check(void *context, int *count, char **operands)
{
	const struct tree_command *command = context;
	const struct stacks_options *options = &command->stacks;

	if (!command->interactive ||
	    (options->reading.form == REPORT_TEXT && options->reading.color == COLOR_AUTO &&
	     !options->function && !options->tree.depth && !options->value &&
	     options->min == MIN_USUAL))
		return 0;
	return cmd_fail(
		"tree: --interactive shows neither a form nor --function, --depth, --value, "
		"--min or --color: leave those out");
}

/* The screen of 'profil top' for a PROFILE that has its names. */
static int show_screen(const struct tree_command *command, struct profile *profile,
		       struct symbols *symbols)
{
	const struct top_list list = {
		.view = TOP_TREE,
		.sort = TOP_BY_SELF,
		.reverse = command->stacks.tree.reverse,
		.is_still = true,
	};
	struct moving *moving = moving_still(profile, symbols);
	struct error why = {""};
	int fd, ret = moving ? screen_find(&fd, &why) : -ENOMEM, status;

	status = ret ? cmd_fail_error(ret, &why) : top_show(moving, fd, &list);
	moving_still_free(moving);
	return status;
}

static int interact(const struct tree_command *command, struct profile *profile)
{
	struct symbols *symbols;
	struct error why = {""};
	int ret, status;

	if (!tree_has_stacks(profile))
		return cmd_fail("tree: the profile has no call stacks: take it with -g");
	ret = symbols_open(&(struct symbols_options){0}, &symbols, &why);
	if (ret)
		return cmd_fail_error(ret, &why);
	ret = reading_name(profile, symbols);
	if (!ret && command->stacks.inlines)
		ret = inlines_open(profile);
	status = ret ? cmd_fail_error(ret, &why) : show_screen(command, profile, symbols);
	(void)symbols_close(symbols);
	return status;
}

/* Returns the exit status. */
static int show(void *context, struct profile *profile)
{
	const struct tree_command *command = context;
	const struct stacks_options *options = &command->stacks;
	struct stacks stacks;
	int ret, why;

	if (command->interactive)
		return interact(command, profile);
	ret = stacks_make("tree", options, profile, &stacks);
	if (ret)
		return ret;
	ret = print(options, &stacks);
	why = errno;
	stacks_done(&stacks);
	return cmd_printed(ret, why);
}

int command_tree(int argc, char **argv)
{
	struct tree_command command = {.stacks.min = MIN_USUAL};

	return reading_run("tree", argc, argv, &command, check, show);
}
