// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/filter.h"

#include "analysis/filter_part.h"
#include "analysis/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* HAS gets for each context whether a function that is wanted is in it or above. */
static void find_contexts(const struct profile *profile, const struct tree_functions *functions,
			  const bool *wanted, bool *has)
{
	for (size_t i = 0; i < profile->context_count; i++) {
		const struct profile_context *context = &profile->contexts[i];

		has[i] = wanted[functions->of_location[context->location]] ||
			 (context->parent && has[context->parent - 1]);
	}
}

/* Whether a function that is wanted is on the stack of CELL. */
static bool is_under(const struct tree_functions *functions, const bool *wanted, const bool *has,
		     const struct profile_cell *cell)
{
	return wanted[functions->of_location[cell->location]] ||
	       (cell->context && has[cell->context - 1]);
}

static int keep_wanted(struct profile *profile, const struct tree_functions *functions,
		       const bool *wanted, const char *what, struct error *reterr)
{
	bool *has = calloc(profile->context_count + 1, sizeof(*has));
	uint64_t all = 0, kept = 0;
	size_t count = 0, amounts = 0;

	if (!has)
		return -ENOMEM;
	find_contexts(profile, functions, wanted, has);
	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];

		all = ticks_add(all, cell->ticks);
		if (!is_under(functions, wanted, has, cell))
			continue;
		kept = ticks_add(kept, cell->ticks);
		profile->cells[count++] = *cell;
	}
	for (size_t i = 0; i < profile->amount_count; i++)
		if (is_under(functions, wanted, has, &profile->amounts[i]))
			profile->amounts[amounts++] = profile->amounts[i];
	free(has);
	if (!count)
		return error_set(reterr, -ENOENT, "nothing matches%s", what);
	profile->cell_count = count;
	profile->amount_count = amounts;
	return filter_part(profile, what, all, kept, /* nobodys= */ 0);
}

int filter_under(const char *pattern, struct profile *profile, struct error *reterr)
{
	struct tree_functions functions;
	bool *wanted = NULL;
	char *what = NULL;
	int ret;

	if (!tree_has_stacks(profile))
		return error_set(reterr, -EINVAL,
				 "--under: the profile has no call stacks: take it with -g");
	ret = tree_functions_make(profile, &functions);
	if (ret < 0)
		return ret;
	ret = tree_functions_match(&functions, pattern, &wanted, reterr);
	if (ret == -EINVAL)
		ret = error_set(reterr, ret, "--under '%s': give an extended regex (regex(7))",
				pattern);
	if (ret >= 0 && asprintf(&what, " --under %s", pattern) < 0)
		ret = -ENOMEM;
	if (ret >= 0) {
		ret = keep_wanted(profile, &functions, wanted, what, reterr);
		free(what);
	}
	free(wanted);
	tree_functions_done(&functions);
	return ret;
}
