// SPDX-License-Identifier: BSD-2-Clause
#include "profile/builder.h"

#include "base/array.h"
#include "profile/contexts.h"
#include "profile/counts.h"
#include "profile/order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What a builder has stands in the order in which it came.  It is written anew in an order of its
 * own, and with that alone which is used. */

#define UNUSED UINT32_MAX

/* Of one kind of things: its numbers in order, and of each number its place there. */
struct ranking {
	uint32_t *order, *rank;
	uint32_t count;
};

struct ordering {
	const struct builder *builder;
	struct profile *out;
	struct ranking mappings, functions, tasks, values, locations, contexts;
	uint32_t *texts; /* of each of the builder's texts, the number in OUT; 0: none yet */
};

static int ranking_init(struct ranking *ranking, size_t room)
{
	ranking->order = calloc(room + 1, sizeof(*ranking->order));
	ranking->rank = malloc((room + 1) * sizeof(*ranking->rank));
	if (!ranking->order || !ranking->rank)
		return -ENOMEM;
	memset(ranking->rank, 0xff, (room + 1) * sizeof(*ranking->rank));
	return 0;
}

static void ranking_done(struct ranking *ranking)
{
	free(ranking->order);
	free(ranking->rank);
}

/* NUMBER is used. */
static void ranking_use(struct ranking *ranking, uint32_t number)
{
	if (ranking->rank[number] != UNUSED)
		return;
	ranking->rank[number] = 0;
	ranking->order[ranking->count++] = number;
}

static void ranking_sort(struct ranking *ranking, const struct ordering *ordering,
			 int (*compare)(const void *, const void *, void *))
{
	ARRAY_SORT_BY(ranking->order, ranking->count, compare, (void *)ordering);
	for (uint32_t i = 0; i < ranking->count; i++)
		ranking->rank[ranking->order[i]] = i;
}

static const struct profile_line *lines_of(const struct ordering *ordering, uint32_t location,
					   uint32_t *ret_count)
{
	return builder_lines(ordering->builder, ordering->builder->frames[location], ret_count);
}

/* ---- the orders ---- */

static int compare_mappings(const void *left, const void *right, void *context)
{
	const struct profile *draft = ((const struct ordering *)context)->builder->profile;

	return order_mappings(draft, &draft->mappings[*(const uint32_t *)left],
			      &draft->mappings[*(const uint32_t *)right]);
}

static int compare_functions(const void *left, const void *right, void *context)
{
	const struct profile *draft = ((const struct ordering *)context)->builder->profile;

	return order_functions(draft, &draft->functions[*(const uint32_t *)left],
			       &draft->functions[*(const uint32_t *)right]);
}

static int compare_tasks(const void *left, const void *right, void *context)
{
	const struct profile *draft = ((const struct ordering *)context)->builder->profile;

	return order_tasks(draft, &draft->tasks[*(const uint32_t *)left],
			   &draft->tasks[*(const uint32_t *)right]);
}

static int compare_values(const void *left, const void *right, void *context)
{
	const struct profile *draft = ((const struct ordering *)context)->builder->profile;

	return order_values(draft, &draft->values[*(const uint32_t *)left],
			    &draft->values[*(const uint32_t *)right]);
}

static int compare_locations(const void *left, const void *right, void *context)
{
	const struct ordering *ordering = context;
	const struct profile *draft = ordering->builder->profile;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right, a_count, b_count;
	const struct profile_line *a_lines = lines_of(ordering, a, &a_count);
	const struct profile_line *b_lines = lines_of(ordering, b, &b_count);
	const struct profile_location *one = &draft->locations[a], *other = &draft->locations[b];
	uint32_t a_rank = ordering->mappings.rank[one->mapping];
	uint32_t b_rank = ordering->mappings.rank[other->mapping];

	if (a_rank != b_rank)
		return a_rank < b_rank ? -1 : 1;
	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return order_lines(draft, a_lines, a_count, b_lines, b_count);
}

/* All that has come into the draft has ticks or calls or is a program, and is used, except for
 * names that better ones have replaced. */
static int rank_all(struct ordering *ordering)
{
	const struct profile *draft = ordering->builder->profile;

	for (uint32_t i = 0; i < draft->mapping_count; i++)
		ranking_use(&ordering->mappings, i);
	for (uint32_t i = 0; i < draft->task_count; i++)
		ranking_use(&ordering->tasks, i);
	for (uint32_t i = 0; i < draft->value_count; i++)
		ranking_use(&ordering->values, i);
	for (uint32_t i = 0; i < draft->location_count; i++) {
		uint32_t count;
		const struct profile_line *lines = lines_of(ordering, i, &count);

		ranking_use(&ordering->locations, i);
		for (uint32_t j = 0; j < count; j++)
			ranking_use(&ordering->functions, lines[j].function);
	}
	ranking_sort(&ordering->mappings, ordering, compare_mappings);
	ranking_sort(&ordering->tasks, ordering, compare_tasks);
	ranking_sort(&ordering->values, ordering, compare_values);
	ranking_sort(&ordering->functions, ordering, compare_functions);
	ranking_sort(&ordering->locations, ordering, compare_locations);
	if (contexts_order(draft, ordering->locations.rank, ordering->contexts.order,
			   ordering->contexts.rank))
		return -ENOMEM;
	ordering->contexts.count = (uint32_t)draft->context_count;
	return 0;
}

/* ---- writing anew ---- */

static int put_text(struct ordering *ordering, uint32_t *id)
{
	uint32_t *known = &ordering->texts[*id];
	int ret = 0;

	if (*id && !*known)
		ret = profile_string(ordering->out, profile_text(ordering->builder->profile, *id),
				     known);
	*id = *known;
	return ret;
}

static int put_facts(struct ordering *ordering)
{
	struct profile_facts *facts = &ordering->out->facts;

	*facts = ordering->builder->profile->facts;
	ordering->out->is_private = ordering->builder->profile->is_private;
	if (put_text(ordering, &facts->producer) || put_text(ordering, &facts->command) ||
	    put_text(ordering, &facts->engine) || put_text(ordering, &facts->event) ||
	    put_text(ordering, &facts->clock) || put_text(ordering, &facts->system) ||
	    put_text(ordering, &facts->unknown_python) || put_text(ordering, &facts->no_stacks))
		return -ENOMEM;
	return 0;
}

static int put_mapping(struct ordering *ordering, uint32_t number)
{
	struct profile_mapping mapping = ordering->builder->profile->mappings[number];
	uint32_t index;

	if (put_text(ordering, &mapping.path) || put_text(ordering, &mapping.build_id) ||
	    put_text(ordering, &mapping.note) || put_text(ordering, &mapping.root))
		return -ENOMEM;
	return profile_add_mapping(ordering->out, &mapping, &index);
}

static int put_function(struct ordering *ordering, uint32_t number)
{
	struct profile_function function = ordering->builder->profile->functions[number];
	uint32_t index;

	if (put_text(ordering, &function.name) || put_text(ordering, &function.system_name) ||
	    put_text(ordering, &function.file))
		return -ENOMEM;
	return profile_add_function(ordering->out, &function, &index);
}

static int put_task(struct ordering *ordering, uint32_t number)
{
	struct profile_task task = ordering->builder->profile->tasks[number];
	uint32_t index;

	if (put_text(ordering, &task.name) || put_text(ordering, &task.cgroup) ||
	    put_text(ordering, &task.title))
		return -ENOMEM;
	return profile_add_task(ordering->out, &task, &index);
}

static int put_location(struct ordering *ordering, uint32_t number)
{
	struct profile_location location = ordering->builder->profile->locations[number];
	uint32_t count, index;
	const struct profile_line *lines = lines_of(ordering, number, &count);
	int ret = 0;

	location.mapping = ordering->mappings.rank[location.mapping];
	location.first_line = count ? (uint32_t)ordering->out->line_count : 0;
	location.line_count = count;
	for (uint32_t i = 0; !ret && i < count; i++) {
		struct profile_line line = lines[i];

		line.function = ordering->functions.rank[line.function];
		ret = profile_add_line(ordering->out, &line, &index);
	}
	return ret ? ret : profile_add_location(ordering->out, &location, &index);
}

static int put_context(struct ordering *ordering, uint32_t number)
{
	struct profile_context context = ordering->builder->profile->contexts[number];
	uint32_t index;

	context.location = ordering->locations.rank[context.location];
	if (context.parent)
		context.parent = ordering->contexts.rank[context.parent - 1] + 1;
	return profile_add_context(ordering->out, &context, &index);
}

static int put_value(struct ordering *ordering, uint32_t number)
{
	struct profile_value value = ordering->builder->profile->values[number];
	uint32_t index;

	if (put_text(ordering, &value.type) || put_text(ordering, &value.unit))
		return -ENOMEM;
	return profile_add_value(ordering->out, &value, &index);
}

static size_t renumber_cells(const struct ordering *ordering, struct profile_cell *cells,
			     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct profile_cell *cell = &cells[i];

		cell->location = ordering->locations.rank[cell->location];
		if (cell->task != PROFILE_NO_TASK)
			cell->task = ordering->tasks.rank[cell->task];
		if (cell->context)
			cell->context = ordering->contexts.rank[cell->context - 1] + 1;
		if (cell->value)
			cell->value =
				(ordering->values.rank[cell->value - 1] + 1) & PROFILE_VALUES_MAX;
	}
	return counts_add_cells(cells, count);
}

static size_t renumber_calls(const struct ordering *ordering, struct profile_call *calls,
			     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		calls[i].callee = ordering->locations.rank[calls[i].callee];
		if (calls[i].caller != PROFILE_NO_CALLER)
			calls[i].caller = ordering->locations.rank[calls[i].caller];
	}
	return counts_add_calls(calls, count);
}

/* What is counted is most of the builder's memory: it is handed over and not copied. */
#define HAND_OVER(from, to, what)                                   \
	do {                                                        \
		(to)->what##s = (from)->what##s;                    \
		(to)->what##_count = (from)->what##_count;          \
		(to)->what##_capacity = (from)->what##_capacity;    \
		(from)->what##s = NULL;                             \
		(from)->what##_count = (from)->what##_capacity = 0; \
	} while (0)

static void put_counts(struct ordering *ordering)
{
	struct profile *draft = ordering->builder->profile, *out = ordering->out;

	HAND_OVER(draft, out, cell);
	HAND_OVER(draft, out, amount);
	HAND_OVER(draft, out, call);
	out->cell_count = renumber_cells(ordering, out->cells, out->cell_count);
	out->amount_count = renumber_cells(ordering, out->amounts, out->amount_count);
	out->call_count = renumber_calls(ordering, out->calls, out->call_count);
}

static int put_each(struct ordering *ordering, const struct ranking *ranking,
		    int (*put)(struct ordering *, uint32_t))
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < ranking->count; i++)
		ret = put(ordering, ranking->order[i]);
	return ret;
}

static int put_all(struct ordering *ordering)
{
	int ret = put_facts(ordering);

	ret = ret ? ret : put_each(ordering, &ordering->mappings, put_mapping);
	ret = ret ? ret : put_each(ordering, &ordering->functions, put_function);
	ret = ret ? ret : put_each(ordering, &ordering->tasks, put_task);
	ret = ret ? ret : put_each(ordering, &ordering->values, put_value);
	ret = ret ? ret : put_each(ordering, &ordering->locations, put_location);
	ret = ret ? ret : put_each(ordering, &ordering->contexts, put_context);
	if (!ret)
		put_counts(ordering);
	return ret;
}

static int make_room(struct ordering *ordering)
{
	const struct profile *draft = ordering->builder->profile;

	ordering->out = profile_new();
	ordering->texts = calloc(strings_count(draft->strings) + 1, sizeof(*ordering->texts));
	if (!ordering->out || !ordering->texts ||
	    ranking_init(&ordering->mappings, draft->mapping_count) ||
	    ranking_init(&ordering->functions, draft->function_count) ||
	    ranking_init(&ordering->tasks, draft->task_count) ||
	    ranking_init(&ordering->values, draft->value_count) ||
	    ranking_init(&ordering->locations, draft->location_count) ||
	    ranking_init(&ordering->contexts, draft->context_count))
		return -ENOMEM;
	return 0;
}

int builder_settle(struct builder *builder, struct profile **ret_profile)
{
	struct ordering ordering = {.builder = builder};
	int ret = make_room(&ordering);

	ret = ret ? ret : rank_all(&ordering);
	ret = ret ? ret : put_all(&ordering);
	ranking_done(&ordering.mappings);
	ranking_done(&ordering.functions);
	ranking_done(&ordering.tasks);
	ranking_done(&ordering.values);
	ranking_done(&ordering.locations);
	ranking_done(&ordering.contexts);
	free(ordering.texts);
	if (ret)
		profile_free(ordering.out);
	else
		*ret_profile = ordering.out;
	return ret;
}
