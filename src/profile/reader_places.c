// SPDX-License-Identifier: BSD-2-Clause
#include "profile/reader.h"

#include "base/pprof_fields.h"

#include <errno.h>

static int take_mapping(struct reader *reader, const struct proto_field *field)
{
	uint64_t from[PPROF_MAPPING_FIELDS];
	struct profile_mapping mapping;
	uint32_t index;
	int ret;

	if (proto_read_numbers(field, from, PPROF_MAPPING_FIELDS))
		return reader_bad(reader, "a damaged mapping");
	mapping = (struct profile_mapping){
		.start = from[PPROF_MAPPING_START],
		.limit = from[PPROF_MAPPING_LIMIT],
		.offset = from[PPROF_MAPPING_OFFSET],
	};
	ret = reader_text(reader, from[PPROF_MAPPING_FILENAME], &mapping.path);
	ret = ret ? ret : reader_text(reader, from[PPROF_MAPPING_BUILD_ID], &mapping.build_id);
	ret = ret ? ret : profile_add_mapping(reader->profile, &mapping, &index);
	return ret ? ret : ids_add(&reader->mappings, from[PPROF_MAPPING_ID], index);
}

static int line_number(struct reader *reader, uint64_t number, uint32_t *ret_line)
{
	if (number > UINT32_MAX)
		return reader_bad(reader, "a line number out of range");
	*ret_line = (uint32_t)number;
	return 0;
}

static int take_function(struct reader *reader, const struct proto_field *field)
{
	uint64_t from[PPROF_FUNCTION_FIELDS];
	struct profile_function function;
	uint32_t index;
	int ret;

	if (proto_read_numbers(field, from, PPROF_FUNCTION_FIELDS))
		return reader_bad(reader, "a damaged function");
	ret = reader_text(reader, from[PPROF_FUNCTION_NAME], &function.name);
	ret = ret ? ret
		  : reader_text(reader, from[PPROF_FUNCTION_SYSTEM_NAME], &function.system_name);
	/* Elsewhere it is left out where it is the name; in older files it is there without one. */
	if (!ret && (!function.system_name || function.system_name == function.name))
		function.system_name =
			profile_says_address(profile_text(reader->profile, function.name))
				? 0
				: function.name;
	ret = ret ? ret : reader_text(reader, from[PPROF_FUNCTION_FILENAME], &function.file);
	ret = ret ? ret
		  : line_number(reader, from[PPROF_FUNCTION_START_LINE], &function.start_line);
	ret = ret ? ret : profile_add_function(reader->profile, &function, &index);
	return ret ? ret : ids_add(&reader->functions, from[PPROF_FUNCTION_ID], index);
}

static int add_line(struct reader *reader, const struct proto_field *field,
		    struct profile_location *to)
{
	uint64_t from[PPROF_LINE_FIELDS];
	struct profile_line line;
	uint32_t index;
	int ret;

	if (proto_read_numbers(field, from, PPROF_LINE_FIELDS))
		return reader_bad(reader, "a damaged location");
	if (ids_find(&reader->functions, from[PPROF_LINE_FUNCTION_ID], &line.function))
		return reader_bad(reader, "a function that is not there");
	ret = line_number(reader, from[PPROF_LINE_LINE], &line.line);
	ret = ret ? ret : profile_add_line(reader->profile, &line, &index);
	if (ret)
		return ret;
	if (!to->line_count++)
		to->first_line = index;
	return 0;
}

static int add_lines(struct reader *reader, const struct proto_field *field,
		     struct profile_location *to)
{
	struct proto_cursor cursor;
	struct proto_field line;
	int ret = proto_enter(field, &cursor);

	while (!ret && proto_next(&cursor, &line) > 0)
		if (line.number == PPROF_LOCATION_LINE)
			ret = add_line(reader, &line, to);
	return ret;
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

static int take_location(struct reader *reader, const struct proto_field *field)
{
	uint64_t from[PPROF_LOCATION_NUMBERS];
	struct profile_location location = {.kind = LOCATION_ADDRESS};
	uint32_t index;
	int ret;

	if (proto_read_numbers(field, from, PPROF_LOCATION_NUMBERS))
		return reader_bad(reader, "a damaged location");
	location.address = from[PPROF_LOCATION_ADDRESS];
	ret = find_mapping(reader, from[PPROF_LOCATION_MAPPING_ID], &location.mapping);
	ret = ret ? ret : add_lines(reader, field, &location);
	ret = ret ? ret : profile_add_location(reader->profile, &location, &index);
	return ret ? ret : ids_add(&reader->locations, from[PPROF_LOCATION_ID], index);
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
	int ret = walk_ids(reader, PPROF_MAPPING, take_mapping, &reader->mappings);

	ret = ret ? ret : walk_ids(reader, PPROF_FUNCTION, take_function, &reader->functions);
	return ret ? ret : walk_ids(reader, PPROF_LOCATION, take_location, &reader->locations);
}
