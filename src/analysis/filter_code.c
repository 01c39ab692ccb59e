// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/filter.h"

#include "analysis/filter_private.h"
#include "analysis/names.h"
#include "analysis/place.h"
#include "analysis/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What of a profile is of some code alone. */

struct code_filter {
	const bool *locations; /* which are wanted */
	const bool
		*contexts; /* those with such a place in them or above; NULL: that is no matter */
};

static bool passes(const struct code_filter *filter, const struct profile_cell *cell)
{
	return filter->locations[cell->location] ||
	       (filter->contexts && cell->context && filter->contexts[cell->context - 1]);
}

/* WHAT says which, " --object libc.so.6". */
static int keep_code(struct profile *profile, const struct code_filter *filter, const char *what,
		     struct error *reterr)
{
	uint64_t all = 0, kept = 0;
	size_t count = 0, amounts = 0;

	for (size_t i = 0; i < profile->cell_count; i++) {
		const struct profile_cell *cell = &profile->cells[i];

		all = ticks_add(all, cell->ticks);
		if (!passes(filter, cell))
			continue;
		kept = ticks_add(kept, cell->ticks);
		profile->cells[count++] = *cell;
	}
	for (size_t i = 0; i < profile->amount_count; i++)
		if (passes(filter, &profile->amounts[i]))
			profile->amounts[amounts++] = profile->amounts[i];
	if (!count && !amounts)
		return error_set(reterr, -ENOENT, "nothing matches%s", what);
	profile->cell_count = count;
	profile->amount_count = amounts;
	return filter_become_part(profile, what, all, kept, /* nobodys= */ 0);
}

static int keep_object(const char *name, struct profile *profile, const uint32_t *objects,
		       bool *locations, struct error *reterr)
{
	char *what;
	int ret;

	for (size_t i = 0; i < profile->location_count; i++) {
		uint32_t object = objects[profile->locations[i].mapping];

		locations[i] = !strcmp(name, names_object(profile, object)) ||
			       !strcmp(name, profile_text(profile, profile->mappings[object].path));
	}
	if (asprintf(&what, " --object %s", name) < 0)
		return -ENOMEM;
	ret = keep_code(profile, &(struct code_filter){.locations = locations}, what, reterr);
	free(what);
	return ret;
}

int filter_object(const char *name, struct profile *profile, struct error *reterr)
{
	bool *locations = calloc(profile->location_count + 1, sizeof(*locations));
	uint32_t *objects = place_objects(profile);
	int ret = -ENOMEM;

	if (locations && objects)
		ret = keep_object(name, profile, objects, locations, reterr);
	free(locations);
	free(objects);
	return ret;
}

/* Fill LOCATIONS and CONTEXTS with what has one of the WANTED functions in it or above. */
static void find_under(const struct profile *profile, const struct tree_functions *functions,
		       const bool *wanted, bool *locations, bool *contexts)
{
	for (size_t i = 0; i < profile->location_count; i++)
		locations[i] = wanted[functions->of_location[i]];
	for (size_t i = 0; i < profile->context_count; i++) {
		const struct profile_context *context = &profile->contexts[i];

		contexts[i] = locations[context->location] ||
			      (context->parent && contexts[context->parent - 1]);
	}
}

static int keep_under(struct profile *profile, const struct tree_functions *functions,
		      const bool *wanted, const char *what, struct error *reterr)
{
	bool *locations = calloc(profile->location_count + 1, sizeof(*locations));
	bool *contexts = calloc(profile->context_count + 1, sizeof(*contexts));
	int ret = -ENOMEM;

	if (locations && contexts) {
		find_under(profile, functions, wanted, locations, contexts);
		ret = keep_code(profile, &(struct code_filter){locations, contexts}, what, reterr);
	}
	free(locations);
	free(contexts);
	return ret;
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
		ret = keep_under(profile, &functions, wanted, what, reterr);
		free(what);
	}
	free(wanted);
	tree_functions_done(&functions);
	return ret;
}
