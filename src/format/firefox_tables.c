// SPDX-License-Identifier: BSD-2-Clause
#include "format/firefox_tables.h"

#include "analysis/place.h"
#include "analysis/tree.h"

#include <errno.h>
#include <stdlib.h>

static int make_origins(struct firefox_source *source, const uint32_t *objects)
{
	const struct profile *profile = source->profile;

	source->origins = calloc(source->functions.count, sizeof(*source->origins));
	if (!source->origins)
		return -ENOMEM;
	for (size_t i = 0; i < profile->location_count; i++) {
		const struct profile_location *location = &profile->locations[i];

		source->origins[source->functions.of_location[i]] = (struct firefox_origin){
			.object = objects[location->mapping],
			.function = profile_function_of(profile, location),
		};
	}
	return 0;
}

int firefox_source_make(struct firefox_source *source, const struct profile *profile)
{
	uint32_t *objects = place_objects(profile);
	int ret = objects ? 0 : -ENOMEM;

	*source =
		(struct firefox_source){.profile = profile, .has_stacks = tree_has_stacks(profile)};
	if (ret >= 0)
		ret = tree_functions_make(profile, &source->functions);
	if (ret >= 0)
		ret = make_origins(source, objects);
	free(objects);
	return ret;
}

void firefox_source_done(struct firefox_source *source)
{
	stack_done(&source->stack);
	tree_functions_done(&source->functions);
	free(source->origins);
}

static int add_row(struct keyset *table, uint64_t first, uint64_t second, uint64_t third,
		   uint32_t *ret_row)
{
	const struct key key = {{first, second, third}};
	int ret = keyset_add(table, &key, ret_row);

	return ret < 0 ? ret : 0;
}

/* *STACK, a row and 1, becomes the stack that calls FRAME from it. */
static int push(struct firefox_tables *tables, uint32_t frame, uint32_t *stack)
{
	int ret = add_row(&tables->stacks, *stack, frame, 0, stack);

	++*stack;
	return ret;
}

static int push_location(const struct firefox_source *source, struct firefox_tables *tables,
			 uint32_t location, uint32_t *stack)
{
	uint32_t function = source->functions.of_location[location], resource, row, frame;
	int ret = add_row(&tables->resources, source->origins[function].object, 0, 0, &resource);

	if (ret >= 0)
		ret = add_row(&tables->functions, function, resource + 1ULL, 0, &row);
	if (ret >= 0)
		ret = add_row(&tables->frames, location + 1ULL, row, 0, &frame);
	return ret < 0 ? ret : push(tables, frame, stack);
}

/* What stands for callers that are not known. */
static int push_cut(const struct firefox_source *source, struct firefox_tables *tables,
		    enum stack_end end, uint32_t *stack)
{
	uint32_t row, frame;
	int ret = add_row(&tables->functions, tree_functions_cut(&source->functions), 0, end, &row);

	if (ret >= 0)
		ret = add_row(&tables->frames, 0, row, end, &frame);
	return ret < 0 ? ret : push(tables, frame, stack);
}

int firefox_stack(struct firefox_source *source, struct firefox_tables *tables,
		  const struct profile_cell *cell, uint32_t *ret_stack)
{
	uint32_t stack = 0;
	int ret = stack_fill(&source->stack, source->profile, cell);

	if (ret >= 0 && source->has_stacks && tree_is_cut(source->profile, cell))
		ret = push_cut(source, tables, cell->stack_end, &stack);
	for (size_t i = 0; i < source->stack.count && ret >= 0; i++)
		ret = push_location(source, tables, source->stack.frames[i].location, &stack);
	*ret_stack = stack - 1;
	return ret;
}

void firefox_tables_done(struct firefox_tables *tables)
{
	keyset_done(&tables->stacks);
	keyset_done(&tables->frames);
	keyset_done(&tables->functions);
	keyset_done(&tables->resources);
}
