// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/tree_functions.h"

#include "analysis/names.h"
#include "analysis/place.h"
#include "analysis/table.h"
#include "base/array.h"
#include "base/keyset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct builder {
	const struct profile *profile;
	const uint32_t *objects; /* place_objects() */
	struct tree_functions *functions;
	struct keyset keys;
	size_t capacity;
};

/* As rows by function have it (analysis/table.c). */
static struct key key_of(const struct place *place)
{
	struct key key = {{(uint64_t)place->object << 32 | place->function}};

	if (!place->function) {
		key.words[1] = place->location->kind;
		key.words[2] =
			place->location->kind == LOCATION_OVERFLOW ? 0 : place->location->address;
	}
	return key;
}

/* TEXT, heap or NULL for want of memory, becomes the list's. */
static int own(struct tree_functions *functions, char *text, const char **ret_text)
{
	if (!text)
		return -ENOMEM;
	if (ARRAY_RESERVE(functions->owned, functions->owned_capacity,
			  functions->owned_count + 1)) {
		free(text);
		return -ENOMEM;
	}
	functions->owned[functions->owned_count++] = text;
	*ret_text = text;
	return 0;
}

static int add_function(struct builder *builder, const struct place *place)
{
	const struct profile *profile = builder->profile;
	const struct profile_mapping *mapping = &profile->mappings[place->object];
	struct tree_functions *functions = builder->functions;
	struct tree_function *function;

	if (ARRAY_RESERVE(functions->list, builder->capacity, functions->count + 2U))
		return -ENOMEM;
	function = &functions->list[functions->count++];
	*function = (struct tree_function){
		.name = profile_text(profile, place->function),
		.object = names_object(profile, place->object),
		.path = profile_text(profile, mapping->path),
		.class = mapping->class,
		.inlined = true,
	};
	return place->function
		       ? 0
		       : own(functions, names_bare(profile, place->location), &function->name);
}

static int add_location(struct builder *builder, uint32_t index)
{
	struct place place =
		place_of(builder->profile, builder->objects, &builder->profile->locations[index]);
	struct key key = key_of(&place);
	uint32_t *number = &builder->functions->of_location[index];
	int ret = keyset_add(&builder->keys, &key, number);

	if (ret > 0)
		ret = add_function(builder, &place);
	if (ret >= 0)
		builder->functions->list[*number].inlined &= place.location->inlined;
	return ret;
}

static int compare(const void *left, const void *right, void *context)
{
	const struct tree_function *list = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = strcmp(list[a].name, list[b].name);

	if (!order)
		order = strcmp(list[a].path, list[b].path);
	return order ? order : a < b ? -1 : a > b;
}

/* ORDER, RANK and SORTED have a place for each function. */
static void renumber(struct tree_functions *functions, size_t locations, uint32_t *order,
		     uint32_t *rank, struct tree_function *sorted)
{
	for (uint32_t i = 0; i < functions->count; i++)
		order[i] = i;
	ARRAY_SORT_BY(order, functions->count, compare, functions->list);
	for (uint32_t i = 0; i < functions->count; i++) {
		sorted[i] = functions->list[order[i]];
		rank[order[i]] = i;
	}
	if (functions->count)
		memcpy(functions->list, sorted, functions->count * sizeof(*sorted));
	for (size_t i = 0; i < locations; i++)
		functions->of_location[i] = rank[functions->of_location[i]];
}

static int put_in_order(struct builder *builder)
{
	size_t room = builder->functions->count + 1;
	uint32_t *order = calloc(room, sizeof(*order)), *rank = calloc(room, sizeof(*rank));
	struct tree_function *sorted = calloc(room, sizeof(*sorted));
	int ret = order && rank && sorted ? 0 : -ENOMEM;

	if (ret >= 0)
		renumber(builder->functions, builder->profile->location_count, order, rank, sorted);
	free(order);
	free(rank);
	free(sorted);
	return ret;
}

static int add_all(struct builder *builder)
{
	struct tree_functions *functions = builder->functions;
	int ret = 0;

	for (uint32_t i = 0; i < builder->profile->location_count && ret >= 0; i++)
		ret = add_location(builder, i);
	if (ret >= 0)
		ret = put_in_order(builder);
	if (ret >= 0)
		ret = ARRAY_RESERVE(functions->list, builder->capacity, functions->count + 1U);
	if (ret >= 0)
		functions->list[functions->count++] =
			(struct tree_function){"[truncated]", "", "", CLASS_UNRESOLVED, false};
	return ret;
}

int tree_functions_make(const struct profile *profile, struct tree_functions *ret_functions)
{
	uint32_t *objects = place_objects(profile);
	struct builder builder = {
		.profile = profile, .objects = objects, .functions = ret_functions};
	int ret = -ENOMEM;

	*ret_functions = (struct tree_functions){
		.of_location = calloc(profile->location_count + 1, sizeof(uint32_t))};
	if (objects && ret_functions->of_location)
		ret = add_all(&builder);
	keyset_done(&builder.keys);
	free(objects);
	if (ret < 0)
		tree_functions_done(ret_functions);
	return ret < 0 ? ret : 0;
}

int tree_functions_match(const struct tree_functions *functions, const char *pattern,
			 bool **ret_wanted, struct error *reterr)
{
	regex_t regex;
	bool *wanted;
	int ret = table_compile_function(pattern, &regex, reterr);

	if (ret < 0)
		return ret;
	wanted = calloc(functions->count, sizeof(*wanted));
	for (uint32_t i = 0; wanted && i < tree_functions_cut(functions); i++)
		wanted[i] = !regexec(&regex, functions->list[i].name, 0, NULL, 0);
	regfree(&regex);
	if (!wanted)
		return -ENOMEM;
	*ret_wanted = wanted;
	return 0;
}

void tree_functions_done(struct tree_functions *functions)
{
	for (size_t i = 0; i < functions->owned_count; i++)
		free(functions->owned[i]);
	free(functions->owned);
	free(functions->list);
	free(functions->of_location);
	*functions = (struct tree_functions){0};
}
