// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/stacks.h"

#include "analysis/filter.h"
#include "analysis/inlines.h"
#include "cmd/command.h"

#include <stdlib.h>

/* The fewest samples that are PART millionths of TOTAL. */
static uint64_t least_of(uint64_t total, uint64_t part)
{
	double least = (double)total * (double)part / 1e6;
	uint64_t whole = (uint64_t)least;

	return whole + ((double)whole < least);
}

/* Names, values and functions. */
static int prepare(const struct stacks_options *options, struct profile *profile,
		   struct stacks *stacks, struct error *reterr)
{
	int ret = reading_name_now(profile, reterr);

	profile_account(profile, &stacks->account);
	if (ret >= 0 && options->value)
		ret = filter_value(options->value - 1, profile, reterr);
	if (ret >= 0 && options->inlines)
		ret = inlines_open(profile);
	if (ret >= 0)
		ret = tree_functions_make(profile, &stacks->functions);
	return ret;
}

static int build(const struct stacks_options *options, struct stacks *stacks, struct error *reterr)
{
	struct profile_account shown; /* of what is in the tree */
	bool *wanted = NULL;
	int ret = 0;

	if (options->function)
		ret = tree_functions_match(&stacks->functions, options->function, &wanted, reterr);
	if (ret >= 0) {
		profile_account(stacks->profile, &shown);
		stacks->tree_options = options->tree;
		stacks->tree_options.wanted = wanted;
		stacks->tree_options.min = least_of(shown.total, options->min);
		ret = tree_build(stacks->profile, &stacks->functions, &stacks->tree_options,
				 &stacks->tree);
		stacks->tree_options.wanted = NULL;
	}
	free(wanted);
	return ret;
}

int stacks_make(const char *name, const struct stacks_options *options, struct profile *profile,
		struct stacks *ret_stacks)
{
	struct error error = {""};
	int ret;

	*ret_stacks = (struct stacks){.profile = profile};
	if (!tree_has_stacks(profile))
		return cmd_fail("%s: the profile has no call stacks: take it with -g", name);
	ret = prepare(options, profile, ret_stacks, &error);
	if (ret >= 0)
		ret = build(options, ret_stacks, &error);
	if (ret < 0) {
		stacks_done(ret_stacks);
		return cmd_fail_error(ret, &error);
	}
	return 0;
}

void stacks_done(struct stacks *stacks)
{
	(void)tree_free(stacks->tree);
	tree_functions_done(&stacks->functions);
}
