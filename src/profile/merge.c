// SPDX-License-Identifier: BSD-2-Clause
#include "profile/merge_private.h"

#include "base/array.h"
#include "profile/counts.h"
#include "profile/main_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NOT_YET UINT32_MAX

/* One profile on its way into the sum: of each of its things the sum's number, found when it is
 * first needed. */
struct adding {
	struct builder *sum;
	const struct profile *from;
	uint32_t *texts, *mappings, *locations, *tasks;
	uint32_t *values;	    /* and 1 */
	uint32_t *contexts;	    /* and 1, of those and 1 */
	struct profile_line *lines; /* of one location, behind the builder's one */
	size_t line_capacity;
	bool takes_off; /* its cells' counts */
};

struct merge *merge_new(void)
{
	struct merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return NULL;
	if (builder_init(&merge->builder))
		return merge_free(merge);
	merge->builder.by_build_id = true;
	return merge;
}

struct merge *merge_free(struct merge *merge)
{
	if (!merge)
		return NULL;
	builder_done(&merge->builder);
	free(merge);
	return NULL;
}

static int add_text(struct adding *adding, uint32_t id, uint32_t *ret_id)
{
	uint32_t *known = &adding->texts[id];
	int ret = 0;

	if (id && !*known)
		ret = profile_string(adding->sum->profile, profile_text(adding->from, id), known);
	*ret_id = *known;
	return ret;
}

static int add_mapping(struct adding *adding, uint32_t index)
{
	struct profile_mapping mapping = adding->from->mappings[index];

	mapping.root = 0;
	if (add_text(adding, mapping.path, &mapping.path) ||
	    add_text(adding, mapping.build_id, &mapping.build_id) ||
	    add_text(adding, mapping.note, &mapping.note))
		return -ENOMEM;
	return builder_mapping(adding->sum, &mapping, &adding->mappings[index]);
}

static int add_function(struct adding *adding, uint32_t index, uint32_t *ret_function)
{
	struct profile_function function = adding->from->functions[index];

	if (add_text(adding, function.name, &function.name) ||
	    add_text(adding, function.system_name, &function.system_name) ||
	    add_text(adding, function.file, &function.file))
		return -ENOMEM;
	return builder_function(adding->sum, &function, ret_function);
}

static int add_frames(struct adding *adding, const struct profile_location *location,
		      uint32_t *ret_frames)
{
	uint32_t count = location->line_count;
	int ret = 0;

	if (ARRAY_RESERVE(adding->lines, adding->line_capacity, (size_t)count + 1))
		return -ENOMEM;
	for (uint32_t i = 0; !ret && i < count; i++) {
		const struct profile_line *from = &adding->from->lines[location->first_line + i];

		adding->lines[i + 1].line = from->line;
		ret = add_function(adding, from->function, &adding->lines[i + 1].function);
	}
	return ret ? ret : builder_frames(adding->sum, adding->lines, count, ret_frames);
}

static int add_location(struct adding *adding, uint32_t index)
{
	const struct profile_location *from = &adding->from->locations[index];
	struct profile_location location = {.kind = from->kind, .address = from->address};
	uint32_t frames;
	int ret = 0;

	if (adding->mappings[from->mapping] == NOT_YET)
		ret = add_mapping(adding, from->mapping);
	ret = ret ? ret : add_frames(adding, from, &frames);
	if (ret)
		return ret;
	location.mapping = adding->mappings[from->mapping];
	return builder_location(adding->sum, &location, frames, &adding->locations[index]);
}

/* The sum's number of the location INDEX. */
static int use_location(struct adding *adding, uint32_t index, uint32_t *ret_index)
{
	int ret = adding->locations[index] == NOT_YET ? add_location(adding, index) : 0;

	*ret_index = adding->locations[index];
	return ret;
}

static int add_task(struct adding *adding, uint32_t index)
{
	struct profile_task task = adding->from->tasks[index];

	if (add_text(adding, task.name, &task.name) ||
	    add_text(adding, task.cgroup, &task.cgroup) ||
	    add_text(adding, task.title, &task.title))
		return -ENOMEM;
	return builder_task(adding->sum, &task, &adding->tasks[index]);
}

static int add_context(struct adding *adding, const struct profile_context *from,
		       uint32_t *ret_context)
{
	struct profile_context context = *from;
	int ret = use_location(adding, from->location, &context.location);

	context.parent = adding->contexts[from->parent];
	return ret ? ret : builder_context(adding->sum, &context, ret_context);
}

/* Those that cells have.  Parents come first: what is used is found from the last to the first. */
static int add_contexts(struct adding *adding)
{
	const struct profile *from = adding->from;
	uint32_t *contexts = adding->contexts;
	int ret = 0;

	for (size_t i = 0; i < from->cell_count; i++)
		if (from->cells[i].ticks)
			contexts[from->cells[i].context] = NOT_YET;
	for (size_t i = 0; i < from->amount_count; i++)
		if (from->amounts[i].ticks)
			contexts[from->amounts[i].context] = NOT_YET;
	for (size_t i = from->context_count; i > 0; i--)
		if (contexts[i])
			contexts[from->contexts[i - 1].parent] = NOT_YET;
	contexts[0] = 0;
	for (size_t i = 1; !ret && i <= from->context_count; i++)
		if (contexts[i])
			ret = add_context(adding, &from->contexts[i - 1], &contexts[i]);
	return ret;
}

static int take_off_cell(struct profile *sum, const struct profile_cell *cell)
{
	struct profile_cell *found = counts_find_cell(sum->cells, sum->cell_count, cell);

	if (!found || found->ticks < cell->ticks)
		return -ERANGE;
	found->ticks -= cell->ticks;
	return 0;
}

/* A cell without ticks says nothing, and nothing is kept of it. */
static int add_cell(struct adding *adding, const struct profile_cell *from)
{
	struct profile_cell cell = {
		.task = PROFILE_NO_TASK,
		.ticks = ticks_add(from->ticks, 0),
		.context = adding->contexts[from->context],
		.stack_end = from->stack_end,
	};
	int ret;

	if (!from->ticks)
		return 0;
	if (from->value)
		cell.value = adding->values[from->value - 1];
	ret = use_location(adding, from->location, &cell.location);
	if (!ret && from->task != PROFILE_NO_TASK && adding->tasks[from->task] == NOT_YET)
		ret = add_task(adding, from->task);
	if (ret)
		return ret;
	if (from->task != PROFILE_NO_TASK)
		cell.task = adding->tasks[from->task];
	return adding->takes_off ? take_off_cell(adding->sum->profile, &cell)
				 : builder_cell(adding->sum, &cell);
}

/* What was counted is said even where it was nothing. */
static int add_value(struct adding *adding, uint32_t index)
{
	struct profile_value value = adding->from->values[index];
	int ret = add_text(adding, value.type, &value.type);

	ret = ret ? ret : add_text(adding, value.unit, &value.unit);
	ret = ret ? ret : builder_value(adding->sum, &value, &adding->values[index]);
	adding->values[index]++;
	return ret;
}

static int add_call(struct adding *adding, const struct profile_call *from)
{
	struct profile_call call = {.caller = PROFILE_NO_CALLER,
				    .count = ticks_add(from->count, 0)};
	int ret;

	if (!from->count)
		return 0;
	ret = use_location(adding, from->callee, &call.callee);
	if (!ret && from->caller != PROFILE_NO_CALLER)
		ret = use_location(adding, from->caller, &call.caller);
	return ret ? ret : builder_call(adding->sum, &call);
}

static uint32_t *numbers(size_t count)
{
	uint32_t *array = malloc((count + 1) * sizeof(*array));

	if (array)
		memset(array, 0xff, (count + 1) * sizeof(*array));
	return array;
}

static int add_all(struct adding *adding, struct merge *merge)
{
	struct profile_facts facts = adding->from->facts;
	uint32_t *const texts[] = {&facts.command,  &facts.engine, &facts.event,
				   &facts.clock,    &facts.system, &facts.unknown_python,
				   &facts.no_stacks};
	int ret = 0;

	/* Programs are kept without ticks, too: one of them is the main one. */
	for (uint32_t i = 0; !ret && i < adding->from->mapping_count; i++)
		if (adding->from->mappings[i].class == CLASS_PROGRAM)
			ret = add_mapping(adding, i);
	ret = ret ? ret : add_contexts(adding);
	for (size_t i = 0; !ret && i < adding->from->cell_count; i++)
		ret = add_cell(adding, &adding->from->cells[i]);
	for (uint32_t i = 0; !ret && i < adding->from->value_count; i++)
		ret = add_value(adding, i);
	for (size_t i = 0; !ret && i < adding->from->amount_count; i++)
		ret = add_cell(adding, &adding->from->amounts[i]);
	for (size_t i = 0; !ret && i < adding->from->call_count; i++)
		ret = add_call(adding, &adding->from->calls[i]);
	for (size_t i = 0; !ret && i < ARRAY_LENGTH(texts); i++)
		ret = add_text(adding, *texts[i], texts[i]);
	return ret ? ret : merge_facts_add(merge, &facts);
}

/* By EACH, which ADDING is handed to. */
static int add_by(struct merge *merge, const struct profile *profile, bool takes_off,
		  int (*each)(struct adding *adding, struct merge *merge))
{
	struct adding adding = {.sum = &merge->builder, .from = profile, .takes_off = takes_off};
	int ret = -ENOMEM;

	adding.texts = calloc(strings_count(profile->strings) + 1, sizeof(*adding.texts));
	adding.mappings = numbers(profile->mapping_count);
	adding.locations = numbers(profile->location_count);
	adding.tasks = numbers(profile->task_count);
	adding.values = numbers(profile->value_count);
	adding.contexts = calloc(profile->context_count + 1, sizeof(*adding.contexts));
	if (adding.texts && adding.mappings && adding.locations && adding.tasks && adding.values &&
	    adding.contexts)
		ret = each(&adding, merge);
	free(adding.texts);
	free(adding.mappings);
	free(adding.locations);
	free(adding.tasks);
	free(adding.values);
	free(adding.contexts);
	free(adding.lines);
	return ret;
}

int merge_add(struct merge *merge, const struct profile *profile, const char *name,
	      struct error *reterr)
{
	int ret = merge_facts_check(merge, profile, name, reterr);

	if (ret)
		return ret;
	merge->builder.profile->is_private |= profile->is_private;
	return add_by(merge, profile, /* takes_off= */ false, add_all);
}

static int take_off_all(struct adding *adding, struct merge *merge)
{
	struct profile *sum = adding->sum->profile;
	size_t left = 0;
	int ret = add_contexts(adding);

	sum->cell_count = counts_add_cells(sum->cells, sum->cell_count);
	for (size_t i = 0; !ret && i < adding->from->cell_count; i++)
		ret = add_cell(adding, &adding->from->cells[i]);
	for (size_t i = 0; i < sum->cell_count; i++)
		if (sum->cells[i].ticks)
			sum->cells[left++] = sum->cells[i];
	sum->cell_count = left;
	sum->amount_count = sum->value_count = sum->call_count = 0;
	merge_facts_take_off(merge, &adding->from->facts);
	return ret;
}

int merge_take_off(struct merge *merge, const struct profile *before, struct error *reterr)
{
	int ret = add_by(merge, before, /* takes_off= */ true, take_off_all);

	if (ret != -ERANGE)
		return ret;
	return error_set(reterr, -EINVAL,
			 "the profile before: it has samples that are not in the one after: give "
			 "two of one measurement, in their order");
}

int merge_sum(struct merge *merge, struct profile **ret_profile)
{
	struct profile *sum;
	int ret = builder_settle(&merge->builder, &sum);

	if (ret)
		return ret;
	ret = main_program_first(sum);
	if (ret)
		profile_free(sum);
	else
		*ret_profile = sum;
	return ret;
}
