// SPDX-License-Identifier: BSD-2-Clause
#include "profile/reader.h"

#include "profile/profile.pb-c.h"

#include <errno.h>

static int add_mapping(struct reader *reader, const Pprof__Mapping *from)
{
	struct profile_mapping mapping = {
		.start = from->memory_start,
		.limit = from->memory_limit,
		.offset = from->file_offset,
	};
	uint32_t index;
	int ret = reader_text(reader, from->filename, &mapping.path);

	ret = ret ? ret : reader_text(reader, from->build_id, &mapping.build_id);
	ret = ret ? ret : profile_add_mapping(reader->profile, &mapping, &index);
	return ret ? ret : ids_add(&reader->mappings, from->id, index);
}

static int take_mapping(struct reader *reader, const struct wire_field *field)
{
	Pprof__Mapping *mapping = pprof__mapping__unpack(NULL, field->size, field->bytes);
	int ret;

	if (!mapping)
		return reader_bad(reader, "a damaged mapping");
	ret = add_mapping(reader, mapping);
	pprof__mapping__free_unpacked(mapping, NULL);
	return ret;
}

static int line_number(struct reader *reader, int64_t number, uint32_t *ret_line)
{
	if (number < 0 || number > UINT32_MAX)
		return reader_bad(reader, "a line number out of range");
	*ret_line = (uint32_t)number;
	return 0;
}

static int add_function(struct reader *reader, const Pprof__Function *from)
{
	struct profile_function function;
	uint32_t index;
	int ret = reader_text(reader, from->name, &function.name);

	ret = ret ? ret : reader_text(reader, from->system_name, &function.system_name);
	ret = ret ? ret : reader_text(reader, from->filename, &function.file);
	ret = ret ? ret : line_number(reader, from->start_line, &function.start_line);
	ret = ret ? ret : profile_add_function(reader->profile, &function, &index);
	return ret ? ret : ids_add(&reader->functions, from->id, index);
}

static int take_function(struct reader *reader, const struct wire_field *field)
{
	Pprof__Function *function = pprof__function__unpack(NULL, field->size, field->bytes);
	int ret;

	if (!function)
		return reader_bad(reader, "a damaged function");
	ret = add_function(reader, function);
	pprof__function__free_unpacked(function, NULL);
	return ret;
}

static int add_line(struct reader *reader, const Pprof__Line *from, struct profile_location *to)
{
	struct profile_line line;
	uint32_t index;
	int ret;

	if (ids_find(&reader->functions, from->function_id, &line.function))
		return reader_bad(reader, "a function that is not there");
	ret = line_number(reader, from->line, &line.line);
	ret = ret ? ret : profile_add_line(reader->profile, &line, &index);
	if (ret)
		return ret;
	if (!to->line_count++)
		to->first_line = index;
	return 0;
}

/* All locations that lie in no mapping share one without a file. */
int reader_nowhere(struct reader *reader, uint32_t *ret_mapping)
{
	struct profile_mapping nowhere = {.limit = UINT64_MAX};

	if (reader->nowhere == READER_NONE &&
	    (profile_string(reader->profile, "[anon]", &nowhere.path) ||
	     profile_add_mapping(reader->profile, &nowhere, &reader->nowhere)))
		return -ENOMEM;
	*ret_mapping = reader->nowhere;
	return 0;
}

static int find_mapping(struct reader *reader, uint64_t id, uint32_t *ret_mapping)
{
	if (!id)
		return reader_nowhere(reader, ret_mapping);
	if (ids_find(&reader->mappings, id, ret_mapping))
		return reader_bad(reader, "a mapping that is not there");
	return 0;
}

static int add_location(struct reader *reader, const Pprof__Location *from)
{
	struct profile_location location = {.address = from->address};
	uint32_t index;
	int ret = find_mapping(reader, from->mapping_id, &location.mapping);

	for (size_t i = 0; !ret && i < from->n_line; i++)
		ret = add_line(reader, from->line[i], &location);
	ret = ret ? ret : profile_add_location(reader->profile, &location, &index);
	return ret ? ret : ids_add(&reader->locations, from->id, index);
}

static int take_location(struct reader *reader, const struct wire_field *field)
{
	Pprof__Location *location = pprof__location__unpack(NULL, field->size, field->bytes);
	int ret;

	if (!location)
		return reader_bad(reader, "a damaged location");
	ret = add_location(reader, location);
	pprof__location__free_unpacked(location, NULL);
	return ret;
}

static int walk_ids(struct reader *reader, uint32_t number, reader_take *take, struct ids *ids)
{
	int ret = reader_walk(reader, number, take);

	if (!ret && ids_sort(ids))
		ret = reader_bad(reader, "one id for two things, or an id of 0");
	return ret;
}

int reader_places(struct reader *reader)
{
	int ret = walk_ids(reader, 3, take_mapping, &reader->mappings);

	ret = ret ? ret : walk_ids(reader, 5, take_function, &reader->functions);
	return ret ? ret : walk_ids(reader, 4, take_location, &reader->locations);
}
