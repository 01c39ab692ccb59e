// SPDX-License-Identifier: BSD-2-Clause
#include "profile/writer.h"

#include "profile/profile.pb-c.h"

#include <errno.h>
#include <stdlib.h>

static void count_names(const struct profile *profile, const struct profile_location *location,
			Pprof__Mapping *mapping)
{
	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct profile_line *line = &profile->lines[location->first_line + i];

		mapping->has_functions = true;
		mapping->has_inline_frames |= i > 0;
		mapping->has_line_numbers |= line->line > 0;
		mapping->has_filenames |= profile->functions[line->function].file > 0;
	}
}

static int put_mapping(struct writer *writer, size_t index, Pprof__Mapping *mapping)
{
	const struct profile_mapping *from = &writer->profile->mappings[index];

	mapping->id = index + 1;
	mapping->memory_start = from->start;
	mapping->memory_limit = from->limit;
	mapping->file_offset = from->offset;
	if (writer_text(writer, from->path, &mapping->filename) ||
	    writer_text(writer, from->build_id, &mapping->build_id))
		return -ENOMEM;
	return writer_message(writer, 3, &mapping->base);
}

static int put_mappings(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	Pprof__Mapping *mappings = calloc(profile->mapping_count + 1, sizeof(*mappings));
	int ret = mappings ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < profile->mapping_count; i++)
		pprof__mapping__init(&mappings[i]);
	for (size_t i = 0; !ret && i < profile->location_count; i++)
		count_names(profile, &profile->locations[i],
			    &mappings[profile->locations[i].mapping]);
	for (size_t i = 0; !ret && i < profile->mapping_count; i++)
		ret = put_mapping(writer, i, &mappings[i]);
	free(mappings);
	return ret;
}

static int put_location(struct writer *writer, size_t index)
{
	const struct profile_location *from = &writer->profile->locations[index];
	Pprof__Location location = PPROF__LOCATION__INIT;
	Pprof__Line *lines = calloc((size_t)from->line_count + 1, sizeof(*lines));
	Pprof__Line **pointers = calloc((size_t)from->line_count + 1, sizeof(*pointers));
	int ret = -ENOMEM;

	for (uint32_t i = 0; lines && pointers && i < from->line_count; i++) {
		const struct profile_line *line;

		line = &writer->profile->lines[from->first_line + i];
		pprof__line__init(&lines[i]);
		lines[i].function_id = (uint64_t)line->function + 1;
		lines[i].line = line->line;
		pointers[i] = &lines[i];
	}
	location.id = index + 1;
	location.mapping_id = (uint64_t)from->mapping + 1;
	location.address = from->address;
	location.n_line = from->line_count;
	location.line = pointers;
	if (lines && pointers)
		ret = writer_message(writer, 4, &location.base);
	free(lines);
	free(pointers);
	return ret;
}

static int put_function(struct writer *writer, size_t index)
{
	const struct profile_function *from = &writer->profile->functions[index];
	Pprof__Function function = PPROF__FUNCTION__INIT;

	function.id = index + 1;
	function.start_line = from->start_line;
	if (writer_text(writer, from->name, &function.name) ||
	    writer_text(writer, from->system_name, &function.system_name) ||
	    writer_text(writer, from->file, &function.filename))
		return -ENOMEM;
	return writer_message(writer, 5, &function.base);
}

int writer_places(struct writer *writer)
{
	int ret = put_mappings(writer);

	for (size_t i = 0; !ret && i < writer->profile->location_count; i++)
		ret = put_location(writer, i);
	for (size_t i = 0; !ret && i < writer->profile->function_count; i++)
		ret = put_function(writer, i);
	return ret;
}
