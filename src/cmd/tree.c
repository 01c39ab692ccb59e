// SPDX-License-Identifier: BSD-2-Clause
#include "view/tree.h"

#include "cmd/command.h"
#include "cmd/reading.h"
#include "cmd/shared.h"
#include "cmd/stacks.h"

#include <errno.h>

const struct option_row tree_options[] = {
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

/* Returns the exit status. */
static int show(void *context, struct profile *profile)
{
	const struct stacks_options *options = context;
	struct stacks stacks;
	int ret = stacks_make("tree", options, profile, &stacks), why;

	if (ret)
		return ret;
	ret = print(options, &stacks);
	why = errno;
	stacks_done(&stacks);
	return cmd_printed(ret, why);
}

int command_tree(int argc, char **argv)
{
	struct stacks_options options = {.min = MIN_USUAL};

	return reading_run("tree", argc, argv, &options, NULL, show);
}
