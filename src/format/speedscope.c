// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "analysis/names.h"
#include "analysis/tree.h"
#include "base/json.h"
#include "format/output.h"
#include "format/stack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* speedscope's own format, https://www.speedscope.app/file-format-schema.json: a table of frames,
 * and samples that are lists of their numbers, outermost first.  The frames are, in this order, the
 * profile's functions, its mappings, its tasks, why stacks were cut (where it has call stacks), and
 * those of its locations that have no name. */

struct writing {
	struct output *output;
	const struct profile *profile;
	bool has_stacks;
	struct stack stack;
	size_t *bare; /* the frame of each location without a name */
};

static size_t tasks_from(const struct profile *profile)
{
	return profile->function_count + profile->mapping_count;
}

static size_t ends_from(const struct profile *profile)
{
	return tasks_from(profile) + profile->task_count;
}

static void print_frame(struct output *output, const char *name, const char *file, uint32_t line)
{
	output_print(output, "%s", "{\"name\": ");
	json_print_string(output->file, *name ? name : "[unknown]");
	if (*file) {
		output_print(output, ", \"file\": ");
		json_print_string(output->file, file);
	}
	if (line)
		output_print(output, ", \"line\": %" PRIu32, line);
	output_print(output, "}");
}

static int print_bare(struct output *output, const struct profile *profile,
		      const struct profile_location *location)
{
	char *name = names_bare(profile, location);

	if (!name)
		return -ENOMEM;
	print_frame(output, name, "", 0);
	free(name);
	return 0;
}

static void print_known(const struct writing *writing)
{
	const struct profile *profile = writing->profile;
	struct output *output = writing->output;
	const char *comma = "";

	for (size_t i = 0; i < profile->function_count; i++, comma = ",\n") {
		const struct profile_function *function = &profile->functions[i];

		output_print(output, "%s", comma);
		print_frame(output, profile_text(profile, function->name),
			    profile_text(profile, function->file), function->start_line);
	}
	for (size_t i = 0; i < profile->mapping_count; i++, comma = ",\n") {
		output_print(output, "%s", comma);
		print_frame(output, names_object(profile, (uint32_t)i),
			    profile_text(profile, profile->mappings[i].path), 0);
	}
	for (size_t i = 0; i < profile->task_count; i++, comma = ",\n") {
		output_print(output, "%s", comma);
		print_frame(output, profile_text(profile, profile->tasks[i].name), "", 0);
	}
	for (int i = 0; i < STACK_ENDS && writing->has_stacks; i++, comma = ",\n") {
		const struct profile_cell cell = {.stack_end = (enum stack_end)i};

		output_print(output, "%s", comma);
		print_frame(output, stack_cut_name(&cell).text, "", 0);
	}
}

/* All frames; each location without a name gets its number. */
static int print_frames(struct writing *writing)
{
	const struct profile *profile = writing->profile;
	size_t number = ends_from(profile) + (writing->has_stacks ? STACK_ENDS : 0);
	int ret = 0;

	print_known(writing);
	for (size_t i = 0; i < profile->location_count && ret >= 0; i++) {
		if (profile->locations[i].line_count)
			continue;
		output_print(writing->output, "%s", number ? ",\n" : "");
		writing->bare[i] = number++;
		ret = print_bare(writing->output, profile, &profile->locations[i]);
	}
	return ret;
}

static void print_place(const struct writing *writing, uint32_t index)
{
	const struct profile *profile = writing->profile;
	const struct profile_location *location = &profile->locations[index];
	uint32_t last = location->first_line + location->line_count - 1;

	if (location->line_count)
		output_print(writing->output, "%" PRIu32, profile->lines[last].function);
	else
		output_print(writing->output, "%zu", writing->bare[index]);
}

static int print_sample(struct writing *writing, const struct profile_cell *cell)
{
	const struct profile *profile = writing->profile;
	struct stack *stack = &writing->stack;
	int ret;

	output_print(writing->output, "[");
	if (cell->task != PROFILE_NO_TASK)
		output_print(writing->output, "%zu, ", tasks_from(profile) + cell->task);
	if (!writing->has_stacks) {
		output_print(writing->output, "%zu, ",
			     profile->function_count + profile->locations[cell->location].mapping);
		print_place(writing, cell->location);
		output_print(writing->output, "]");
		return 0;
	}
	if (tree_is_cut(profile, cell))
		output_print(writing->output, "%zu, ", ends_from(profile) + cell->stack_end);
	ret = stack_fill(stack, profile, cell);
	for (size_t i = 0; i < stack->count && ret >= 0; i++) {
		output_print(writing->output, "%s", i ? ", " : "");
		print_place(writing, stack->frames[i].location);
	}
	output_print(writing->output, "]");
	return ret;
}

static int print_samples(struct writing *writing)
{
	const struct profile *profile = writing->profile;
	struct output *output = writing->output;
	int ret = 0;

	output_print(output, "\"samples\": [");
	for (size_t i = 0; i < profile->cell_count && ret >= 0; i++) {
		output_print(output, i ? ",\n" : "\n");
		ret = print_sample(writing, &profile->cells[i]);
	}
	output_print(output, "],\n\"weights\": [");
	for (size_t i = 0; i < profile->cell_count; i++)
		output_print(output, "%s%" PRIu64, i ? ", " : "", profile->cells[i].ticks);
	output_print(output, "]");
	return ret;
}

static int print_all(struct output *output, const struct profile *profile)
{
	const char *command = profile_text(profile, profile->facts.command);
	struct writing writing = {
		.output = output,
		.profile = profile,
		.has_stacks = tree_has_stacks(profile),
		.bare = calloc(profile->location_count + 1, sizeof(*writing.bare)),
	};
	bool is_time = profile->value && histogram_value_is_time(profile->value - 1);
	struct profile_account account;
	int ret;

	if (!writing.bare)
		return -ENOMEM;
	output_print(output, "{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\","
			     "\n\"exporter\": \"profil\",\n\"name\": ");
	json_print_string(output->file, *command ? command : "profil");
	output_print(output, ",\n\"shared\": {\"frames\": [\n");
	ret = print_frames(&writing);
	profile_account(profile, &account);
	output_print(output,
		     "]},\n\"profiles\": [{\"type\": \"sampled\", \"name\": \"%s\", "
		     "\"unit\": \"%s\", \"startValue\": 0, \"endValue\": %" PRIu64 ",\n",
		     profile->value ? histogram_value_type(profile->value - 1) : "samples",
		     is_time ? "nanoseconds" : "none", account.total);
	if (ret >= 0)
		ret = print_samples(&writing);
	output_print(output, "}]}\n");
	stack_done(&writing.stack);
	free(writing.bare);
	return ret;
}

static int write_speedscope(const struct profile *profile, const char *path, struct error *ret_left,
			    struct error *reterr)
{
	struct output output;
	int ret = output_open(&output, profile, path, reterr);

	if (ret < 0)
		return ret;
	*ret_left = (struct error){""};
	return output_close(&output, print_all(&output, profile), reterr);
}

const struct format_ops speedscope_format = {
	.name = "speedscope",
	.summary = "JSON for speedscope",
	.calls_inlined = true,
	.write = write_speedscope,
};
