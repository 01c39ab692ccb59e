// SPDX-License-Identifier: BSD-2-Clause
#include "format/format.h"

#include "analysis/names.h"
#include "base/json.h"
#include "format/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* speedscope's own format, https://www.speedscope.app/file-format-schema.json: a table of frames,
 * and samples that are lists of their numbers, outermost first.  The frames are, in this order, the
 * profile's functions, its mappings, its tasks, and those of its locations that have no name. */

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

/* BARE gets the number of each location without a name. */
static int print_frames(struct output *output, const struct profile *profile, size_t *bare)
{
	size_t number = profile->function_count + profile->mapping_count + profile->task_count;
	const char *comma = "";
	int ret = 0;

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
	for (size_t i = 0; i < profile->location_count && ret >= 0; i++) {
		if (profile->locations[i].line_count)
			continue;
		bare[i] = number++;
		output_print(output, "%s", comma);
		comma = ",\n";
		ret = print_bare(output, profile, &profile->locations[i]);
	}
	return ret;
}

static void print_sample(struct output *output, const struct profile *profile, const size_t *bare,
			 const struct profile_cell *cell)
{
	const struct profile_location *location = &profile->locations[cell->location];
	size_t mappings = profile->function_count, tasks = mappings + profile->mapping_count;

	output_print(output, "[");
	if (cell->task != PROFILE_NO_TASK)
		output_print(output, "%zu, ", tasks + cell->task);
	output_print(output, "%zu", mappings + location->mapping);
	if (location->line_count)
		output_print(
			output, ", %" PRIu32,
			profile->lines[location->first_line + location->line_count - 1].function);
	else
		output_print(output, ", %zu", bare[cell->location]);
	output_print(output, "]");
}

static void print_samples(struct output *output, const struct profile *profile, const size_t *bare)
{
	output_print(output, "\"samples\": [");
	for (size_t i = 0; i < profile->cell_count; i++) {
		output_print(output, i ? ",\n" : "\n");
		print_sample(output, profile, bare, &profile->cells[i]);
	}
	output_print(output, "],\n\"weights\": [");
	for (size_t i = 0; i < profile->cell_count; i++)
		output_print(output, "%s%" PRIu64, i ? ", " : "", profile->cells[i].ticks);
	output_print(output, "]");
}

static int print_all(struct output *output, const struct profile *profile)
{
	const char *command = profile_text(profile, profile->facts.command);
	size_t *bare = calloc(profile->location_count + 1, sizeof(*bare));
	struct profile_account account;
	int ret;

	if (!bare)
		return -ENOMEM;
	output_print(output, "{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\","
			     "\n\"exporter\": \"profil\",\n\"name\": ");
	json_print_string(output->file, *command ? command : "profil");
	output_print(output, ",\n\"shared\": {\"frames\": [\n");
	ret = print_frames(output, profile, bare);
	profile_account(profile, &account);
	output_print(output,
		     "]},\n\"profiles\": [{\"type\": \"sampled\", \"name\": \"ticks\", "
		     "\"unit\": \"none\", \"startValue\": 0, \"endValue\": %" PRIu64 ",\n",
		     account.total);
	print_samples(output, profile, bare);
	output_print(output, "}]}\n");
	free(bare);
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
	.write = write_speedscope,
};
