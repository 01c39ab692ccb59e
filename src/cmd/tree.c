// SPDX-License-Identifier: BSD-2-Clause
#include "view/tree.h"

#include "analysis/filter.h"
#include "analysis/inlines.h"
#include "cmd/command.h"
#include "cmd/reading.h"
#include "cmd/shared.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct tree_command {
	struct reading reading;
	struct tree_options tree;
	const char *function; /* NULL: all */
	uint32_t value;	      /* 0: samples; or the enum histogram_value and 1 */
	uint64_t min;	      /* millionths of all samples */
	bool inlines;
};

const struct option_row tree_options[] = {
	{0, "reverse", NULL, "leaf first: below each function who called it", "Rows",
	 SETS(struct tree_command, tree.reverse, true)},
	OPTION_FUNCTION_ROW(0, INTO(struct tree_command, function)),
	OPTION_INLINES_ROW("inlined functions too, as if they were called",
			   SETS(struct tree_command, inlines, true)),
	{0, "depth", "N", "at most N calls below each other, 0 for all (0)", NULL, VALUE_COUNT,
	 .max = 1 << 30, .accepted = "a number of calls, 0 for all",
	 INTO(struct tree_command, tree.depth)},
	OPTION_VALUE_ROW("what is added up: cpu (samples), blocked, runqueue, wall ...",
			 INTO(struct tree_command, value)),
	OPTION_MIN_ROW("add up what has less than this part of all samples (0.5%)",
		       INTO(struct tree_command, min)),
	OPTION_READING_ROWS,

	OPTION_TABLE_FORM_ROWS("colour: "),
	{0},
};

/* The fewest samples that are PART millionths of TOTAL. */
static uint64_t least_of(uint64_t total, uint64_t part)
{
	double least = (double)total * (double)part / 1e6;
	uint64_t whole = (uint64_t)least;

	return whole + ((double)whole < least);
}

static int print(const struct tree_command *command, const struct profile *profile,
		 const struct profile_account *account, const struct tree_functions *functions,
		 const struct tree_options *options)
{
	struct tree_page page = {
		.profile = profile,
		.functions = functions,
		.reverse = options->reverse,
		.min = options->min,
		.depth = options->depth,
		.account = *account,
	};
	struct report_style style;
	struct tree *tree;
	FILE *out;
	int ret = tree_build(profile, functions, options, &tree);

	if (ret < 0)
		return ret;
	page.tree = tree;
	reading_style(&command->reading, &style);
	out = reading_output(style.form);
	ret = out ? tree_print(out, &page, &style) : -ENOMEM;
	(void)tree_free(tree);
	return ret;
}

/* Returns the exit status. */
static int show(void *context, struct profile *profile)
{
	const struct tree_command *command = context;
	struct tree_options options = command->tree;
	struct profile_account account, shown; /* of all samples, and of what is in the tree */
	struct tree_functions functions;
	struct error error = {""};
	bool *wanted = NULL;
	int ret, why;

	if (!tree_has_stacks(profile))
		return cmd_fail("tree: the profile has no call stacks: take it with -g");
	ret = reading_name_now(profile, &error);
	profile_account(profile, &account);
	if (ret >= 0 && command->value)
		ret = filter_value(command->value - 1, profile, &error);
	if (ret >= 0 && command->inlines)
		ret = inlines_open(profile);
	if (ret >= 0)
		ret = tree_functions_make(profile, &functions);
	if (ret < 0)
		return cmd_fail_error(ret, &error);
	if (command->function)
		ret = tree_functions_match(&functions, command->function, &wanted, &error);
	if (ret >= 0) {
		profile_account(profile, &shown);
		options.wanted = wanted;
		options.min = least_of(shown.total, command->min);
		ret = print(command, profile, &account, &functions, &options);
	}
	why = errno;
	free(wanted);
	tree_functions_done(&functions);
	return ret == -EINVAL ? cmd_fail_error(ret, &error) : cmd_printed(ret, why);
}

int command_tree(int argc, char **argv)
{
	struct tree_command command = {.min = MIN_USUAL};

	return reading_run("tree", argc, argv, &command, NULL, show);
}
