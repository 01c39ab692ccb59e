// SPDX-License-Identifier: BSD-2-Clause
#include "profile/writer.h"

#include "base/pprof_fields.h"

#include <errno.h>
#include <stdlib.h>

/* What of its addresses is known. */
struct names {
	bool functions, files, line_numbers, inline_frames;
};

static void count_names(const struct profile *profile, const struct profile_location *location,
			struct names *names)
{
	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct profile_line *line = &profile->lines[location->first_line + i];

		names->functions = true;
		names->inline_frames |= i > 0;
		names->line_numbers |= line->line > 0;
		names->files |= profile->functions[line->function].file > 0;
	}
}

static int put_mapping(struct writer *writer, size_t index, const struct names *names)
{
	const struct profile_mapping *from = &writer->profile->mappings[index];
	struct proto *mapping = &writer->message;
	uint64_t path, build_id;

	if (writer_begin(writer, PPROF_MAPPING_FIELDS * PROTO_NUMBER_MAX) ||
	    writer_text(writer, from->path, &path) ||
	    writer_text(writer, from->build_id, &build_id))
		return -ENOMEM;
	proto_number(mapping, PPROF_MAPPING_ID, index + 1);
	proto_number(mapping, PPROF_MAPPING_START, from->start);
	proto_number(mapping, PPROF_MAPPING_LIMIT, from->limit);
	proto_number(mapping, PPROF_MAPPING_OFFSET, from->offset);
	proto_number(mapping, PPROF_MAPPING_FILENAME, path);
	proto_number(mapping, PPROF_MAPPING_BUILD_ID, build_id);
	proto_number(mapping, PPROF_MAPPING_HAS_FUNCTIONS, names->functions);
	proto_number(mapping, PPROF_MAPPING_HAS_FILENAMES, names->files);
	proto_number(mapping, PPROF_MAPPING_HAS_LINE_NUMBERS, names->line_numbers);
	proto_number(mapping, PPROF_MAPPING_HAS_INLINE_FRAMES, names->inline_frames);
	return writer_message(writer, PPROF_MAPPING);
}

static int put_mappings(struct writer *writer)
{
	const struct profile *profile = writer->profile;
	struct names *names = calloc(profile->mapping_count + 1, sizeof(*names));
	int ret = names ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < profile->location_count; i++)
		count_names(profile, &profile->locations[i], &names[profile->locations[i].mapping]);
	for (size_t i = 0; !ret && i < profile->mapping_count; i++)
		ret = put_mapping(writer, i, &names[i]);
	free(names);
	return ret;
}

#define LINE_BYTES (PPROF_LINE_FIELDS * PROTO_NUMBER_MAX)

static void put_line(struct proto *location, const struct profile_line *from)
{
	struct proto line = PROTO(LINE_BYTES);

	proto_number(&line, PPROF_LINE_FUNCTION_ID, (uint64_t)from->function + 1);
	proto_number(&line, PPROF_LINE_LINE, from->line);
	proto_message(location, PPROF_LOCATION_LINE, &line);
}

static int put_location(struct writer *writer, size_t index)
{
	const struct profile_location *from = &writer->profile->locations[index];
	struct proto *location = &writer->message;

	if (writer_begin(writer, PPROF_LOCATION_NUMBERS * PROTO_NUMBER_MAX +
					 (size_t)from->line_count * (LINE_BYTES + 2)))
		return -ENOMEM;
	proto_number(location, PPROF_LOCATION_ID, index + 1);
	proto_number(location, PPROF_LOCATION_MAPPING_ID, (uint64_t)from->mapping + 1);
	proto_number(location, PPROF_LOCATION_ADDRESS, from->address);
	for (uint32_t i = 0; i < from->line_count; i++)
		put_line(location, &writer->profile->lines[from->first_line + i]);
	return writer_message(writer, PPROF_LOCATION);
}

static int put_function(struct writer *writer, size_t index)
{
	const struct profile_function *from = &writer->profile->functions[index];
	struct proto *function = &writer->message;
	uint64_t name, system_name, file;

	if (writer_begin(writer, PPROF_FUNCTION_FIELDS * PROTO_NUMBER_MAX) ||
	    writer_text(writer, from->name, &name) ||
	    writer_text(writer, from->system_name, &system_name) ||
	    writer_text(writer, from->file, &file))
		return -ENOMEM;
	proto_number(function, PPROF_FUNCTION_ID, index + 1);
	proto_number(function, PPROF_FUNCTION_NAME, name);
	proto_number(function, PPROF_FUNCTION_SYSTEM_NAME, system_name);
	proto_number(function, PPROF_FUNCTION_FILENAME, file);
	proto_number(function, PPROF_FUNCTION_START_LINE, from->start_line);
	return writer_message(writer, PPROF_FUNCTION);
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
