// SPDX-License-Identifier: BSD-2-Clause
#include "profile/profile.h"

#include "profile/build_private.h"
#include "profile/build_program.h"
#include "profile/main_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From a histogram to a profile: tasks are numbered, each cell is placed in a mapping, and then all
 * is put in order (builder.h). */

#define KERNEL_START 0xffff800000000000
#define KERNEL_HIDDEN \
	"kernel.kptr_restrict keeps its addresses from this user: all of it is one line"
/* A mapping of no file, once: *INDEX is NONE before. */
static int add_space(struct build *build, enum profile_class class, const char *path,
		     uint32_t *index)
{
	struct profile_mapping mapping = {.class = class, .limit = UINT64_MAX};
	const char *note = "";

	if (*index != NONE)
		return 0;
	if (class == CLASS_KERNEL && build->histogram->kernel_hidden)
		note = KERNEL_HIDDEN;
	else if (class == CLASS_KERNEL)
		mapping.start = KERNEL_START;
	if (profile_string(build->builder.profile, path, &mapping.path) ||
	    profile_string(build->builder.profile, note, &mapping.note))
		return -ENOMEM;
	return builder_mapping(&build->builder, &mapping, index);
}

static uint32_t task_of(const struct build *build, const struct histogram_cell *cell)
{
	return cell->task < build->histogram->task_count ? build->tasks[cell->task]
							 : PROFILE_NO_TASK;
}

/* Equal addresses in two processes' own memory are not the same code, nor are they in what one
 * process executes before and after: each has a mapping of its own. */
static int map_anonymous(struct build *build, uint32_t task, uint32_t *ret_mapping)
{
	uint32_t number = task < build->histogram->task_count ? build->image_of[task] : NONE;
	uint32_t *index = &build->spaces[CELL_ANONYMOUS];
	char path[80] = "[anon]";
	int ret;

	if (number != NONE) {
		struct build_image *image = &build->images[number];
		char exec[24] = "";

		if (image->exec)
			(void)snprintf(exec, sizeof(exec), ", exec %u", image->exec);
		(void)snprintf(path, sizeof(path), "[anon] %.*s (%u%s)",
			       (int)sizeof(image->named->name), image->named->name,
			       image->named->pid, exec);
		index = &image->mapping;
	}
	ret = add_space(build, CLASS_ANONYMOUS, path, index);
	*ret_mapping = *index;
	return ret;
}

static int open_file(struct build *build, uint32_t file)
{
	return build->files[file].file
		       ? 0
		       : file_map_open(&build->files[file], &build->histogram->files[file],
				       &build->mounts);
}

static int map_file(struct build *build, const struct histogram_cell *cell,
		    struct profile_location *location)
{
	int ret = open_file(build, cell->file);

	if (ret)
		return ret;
	return file_map_place(&build->files[cell->file], &build->builder, cell->address,
			      &location->mapping, &location->address);
}

static int map_cell(struct build *build, const struct histogram_cell *cell,
		    struct profile_location *location)
{
	static const struct {
		enum profile_class class;
		const char *path;
	} spaces[CELL_SPACES] = {
		[CELL_KERNEL] = {CLASS_KERNEL, "[kernel]"},
		[CELL_VDSO] = {CLASS_VDSO, "[vdso]"},
		[CELL_VDSO32] = {CLASS_VDSO, "[vdso32]"},
		[CELL_PYTHON] = {CLASS_PYTHON, "[python]"},
		[CELL_IDLE] = {CLASS_IDLE, "[idle]"},
		[CELL_WAITING] = {CLASS_TIME, "[waiting]"},
		[CELL_LIVES] = {CLASS_TIME, "[lives]"},
	};
	int ret;

	if (cell->space == CELL_FILE)
		return map_file(build, cell, location);
	if (cell->space == CELL_ANONYMOUS)
		return map_anonymous(build, cell->task, &location->mapping);
	ret = add_space(build, spaces[cell->space].class, spaces[cell->space].path,
			&build->spaces[cell->space]);
	location->mapping = build->spaces[cell->space];
	return ret;
}

/* The names that FROM stands for, of what has no address. */
static int name_function(struct build *build, const struct histogram_function *from,
			 uint32_t *ret_frames)
{
	struct profile *profile = build->builder.profile;
	struct profile_function function = {.start_line = from->line};
	struct profile_line lines[2] = {{0}, {.line = from->line}};
	int ret = profile_string(profile, from->name, &function.name);

	ret = ret ? ret : profile_string(profile, from->file, &function.file);
	function.system_name = function.name;
	ret = ret ? ret : builder_function(&build->builder, &function, &lines[1].function);
	return ret ? ret : builder_frames(&build->builder, lines, 1, ret_frames);
}

static bool is_function(const struct histogram_cell *cell)
{
	return cell->space == CELL_PYTHON || cell->space == CELL_WAITING ||
	       cell->space == CELL_LIVES;
}

/* The number of the location where CELL lies. */
static int place(struct build *build, const struct histogram_cell *cell, uint32_t *ret_location)
{
	const struct histogram *histogram = build->histogram;
	const struct histogram_function unnamed = {.name = "[python]", .file = ""};
	struct profile_location location = {.kind = LOCATION_ADDRESS, .address = cell->address};
	uint32_t frames = 0;
	int ret = map_cell(build, cell, &location);

	if (!ret && is_function(cell))
		ret = name_function(build,
				    cell->file < histogram->function_count
					    ? &histogram->functions[cell->file]
					    : &unnamed,
				    &frames);
	return ret ? ret : builder_location(&build->builder, &location, frames, ret_location);
}

/* A call is before its return address, which may be another function's. */
static int place_context(struct build *build, const struct histogram_context *context,
			 uint32_t *ret_context)
{
	const struct histogram_cell at = {
		.space = context->space,
		.file = context->file,
		.task = context->space == CELL_ANONYMOUS ? context->task : HISTOGRAM_NO_TASK,
		.address = context->address - (context->address && !context->interrupted),
	};
	struct profile_context placed = {
		.parent = build->contexts[context->parent],
		.interrupted = context->interrupted,
		.folded = context->folded,
	};
	int ret = place(build, &at, &placed.location);

	return ret ? ret : builder_context(&build->builder, &placed, ret_context);
}

/* Those that cells have.  Parents come first: what is used is found from the last to the first. */
static int place_contexts(struct build *build)
{
	const struct histogram *histogram = build->histogram;
	uint32_t *contexts = calloc(histogram->context_count + 1, sizeof(*contexts));
	int ret = 0;

	build->contexts = contexts;
	if (!contexts)
		return -ENOMEM;
	for (size_t i = 0; i < histogram->cell_count; i++)
		contexts[histogram->cells[i].context] = NONE;
	for (size_t i = 0; i < histogram->amount_count; i++)
		contexts[histogram->amounts[i].cell.context] = NONE;
	for (size_t i = histogram->context_count; i > 0; i--)
		if (contexts[i])
			contexts[histogram->contexts[i - 1].parent] = NONE;
	contexts[0] = 0;
	for (size_t i = 1; !ret && i <= histogram->context_count; i++)
		if (contexts[i])
			ret = place_context(build, &histogram->contexts[i - 1], &contexts[i]);
	return ret;
}

/* VALUE is what it counts: a number among the builder's values and 1, or 0. */
static int place_cell(struct build *build, const struct histogram_cell *cell, uint32_t value)
{
	struct profile_cell placed = {
		.task = task_of(build, cell),
		.ticks = cell->ticks,
		.context = build->contexts[cell->context],
		.stack_end = cell->stack_end,
		.value = value & PROFILE_VALUES_MAX,
	};
	int ret = place(build, cell, &placed.location);

	return ret ? ret : builder_cell(&build->builder, &placed);
}

static int place_amounts(struct build *build)
{
	const struct histogram *histogram = build->histogram;
	struct profile *profile = build->builder.profile;
	uint32_t numbers[HISTOGRAM_VALUES] = {0};
	int ret = 0;

	for (size_t i = 0; !ret && i < histogram->amount_count; i++) {
		const struct histogram_amount *amount = &histogram->amounts[i];
		uint32_t *number = &numbers[amount->value];
		struct profile_value value;

		if (!*number) {
			ret = profile_string(profile, histogram_value_type(amount->value),
					     &value.type);
			ret = ret ? ret
				  : profile_string(profile, histogram_value_unit(amount->value),
						   &value.unit);
			ret = ret ? ret : builder_value(&build->builder, &value, number);
			++*number;
		}
		ret = ret ? ret : place_cell(build, &amount->cell, *number);
	}
	return ret;
}

static int place_call(struct build *build, const struct histogram_call *call)
{
	struct profile_call placed = {.caller = PROFILE_NO_CALLER, .count = call->count};
	int ret = place(build, &call->callee, &placed.callee);

	if (!ret && call->has_caller)
		ret = place(build, &call->caller, &placed.caller);
	return ret ? ret : builder_call(&build->builder, &placed);
}

static int place_overflow(struct build *build, uint32_t file)
{
	struct profile_location location = {.kind = LOCATION_OVERFLOW};
	uint64_t ticks = build->histogram->files[file].overflow;

	if (!ticks)
		return 0;
	if (open_file(build, file) || file_map_overflow(&build->files[file], &build->builder,
							&location.mapping, &location.address))
		return -ENOMEM;
	return builder_ticks(&build->builder, &location, ticks);
}

static int place_unresolved(struct build *build, enum unresolved_reason reason, uint32_t *mapping)
{
	struct profile_location location = {.kind = LOCATION_UNRESOLVED, .address = reason};
	uint64_t ticks = build->histogram->unresolved[reason];

	if (!ticks)
		return 0;
	if (add_space(build, CLASS_UNRESOLVED, "[unresolved]", mapping))
		return -ENOMEM;
	location.mapping = *mapping;
	return builder_ticks(&build->builder, &location, ticks);
}

static int place_all(struct build *build)
{
	const struct histogram *histogram = build->histogram;
	uint32_t unresolved = NONE;
	int ret = place_contexts(build);

	for (size_t i = 0; !ret && i < histogram->cell_count; i++)
		ret = place_cell(build, &histogram->cells[i], /* value= */ 0);
	ret = ret ? ret : place_amounts(build);
	for (size_t i = 0; !ret && i < histogram->call_count; i++)
		ret = place_call(build, &histogram->calls[i]);
	for (size_t i = 0; !ret && i < histogram->file_count; i++)
		ret = place_overflow(build, (uint32_t)i);
	for (size_t i = 0; !ret && i < UNRESOLVED_REASONS; i++)
		ret = place_unresolved(build, (enum unresolved_reason)i, &unresolved);
	return ret;
}

static void take_facts(const struct histogram *histogram, struct profile_facts *facts)
{
	facts->samples = histogram->fired;
	if (histogram->fired)
		facts->period_ns = (histogram->fired_ns + histogram->fired / 2) / histogram->fired;
	facts->cpu_ns = histogram->cpu_ns;
	facts->task_total = histogram->task_total;
	facts->not_followed = histogram->not_followed;
	facts->untold = histogram->untold;
	facts->cpus_joined = histogram->cpus_joined;
	facts->unclocked_ns = histogram->unclocked_ns;
	facts->cpu_at_least = histogram->cpu_at_least;
	facts->cell_limit = histogram->cell_limit;
	memcpy(facts->wall, histogram->wall, sizeof(facts->wall));
}

static int build_all(struct build *build, struct profile **ret_profile)
{
	int ret = build_number_tasks(build);

	memset(build->spaces, 0xff, sizeof(build->spaces));
	ret = ret ? ret : place_all(build);
	ret = ret ? ret : build_program(&build->builder, &build->mounts, build->histogram->program);
	take_facts(build->histogram, &build->builder.profile->facts);
	if (!ret && build->histogram->unknown_python)
		ret = profile_string(build->builder.profile, build->histogram->unknown_python,
				     &build->builder.profile->facts.unknown_python);
	return ret ? ret : builder_settle(&build->builder, ret_profile);
}

int profile_from_histogram(const struct histogram *histogram, struct profile **ret_profile)
{
	struct build build = {.histogram = histogram};
	struct profile *profile = NULL;
	int ret = builder_init(&build.builder);

	build.files = calloc(histogram->file_count + 1, sizeof(*build.files));
	if (!build.files)
		ret = -ENOMEM;
	ret = ret ? ret : build_all(&build, &profile);
	for (size_t i = 0; build.files && i < histogram->file_count; i++)
		file_map_done(&build.files[i]);
	mounts_done(&build.mounts);
	free(build.files);
	free(build.tasks);
	free(build.image_of);
	free(build.images);
	free(build.contexts);
	builder_done(&build.builder);
	ret = ret ? ret : main_program_first(profile);
	if (ret)
		profile_free(profile);
	else
		*ret_profile = profile;
	return ret;
}
