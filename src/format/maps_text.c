// SPDX-License-Identifier: BSD-2-Clause
#include "format/maps_text.h"

#include "base/array.h"
#include "base/maps_line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX 4352 /* a path, and what stands before it */

static bool is_file(const char *path)
{
	return *path == '/';
}

static enum profile_class class_of(const char *path, size_t index)
{
	if (!strncmp(path, "[vdso", 5))
		return CLASS_VDSO;
	if (is_file(path))
		return index ? CLASS_LIBRARIES : CLASS_PROGRAM;
	return CLASS_ANONYMOUS;
}

/* The file as it is here: the first one of a map is the program, which may stand elsewhere now. */
static int take_file(struct maps_file *file, const char *program, struct error *reterr)
{
	file->file.is_program = program != NULL;
	file->file.path = strdup(program ? program : file->name);
	if (!file->file.path)
		return -ENOMEM;
	if (program)
		return imported_identity(program, &file->file.identity, reterr);
	/* A library that is gone keeps its offsets, as it does without --program. */
	(void)imported_identity(file->name, &file->file.identity, NULL);
	return 0;
}

/* The file at PATH, once; memory of no file is one that is called "[anon]". */
static int intern_file(struct maps_text *maps, const struct imported *imported, const char *path,
		       uint32_t *ret_file, struct error *reterr)
{
	struct maps_file *file;

	if (!maps->names)
		maps->names = strings_new();
	/* Number 0 is the empty text, which is no path. */
	if (!maps->names || strings_add(maps->names, path, strlen(path), ret_file))
		return -ENOMEM;
	if (--*ret_file < maps->file_count)
		return 0;
	if (ARRAY_RESERVE(maps->files, maps->file_capacity, maps->file_count + 1))
		return -ENOMEM;
	file = &maps->files[maps->file_count++];
	file->name = strdup(path);
	if (!file->name)
		return -ENOMEM;
	if (!is_file(path) || !imported->source->hints.program)
		return 0;
	return take_file(file, *ret_file == 0 ? imported->source->hints.program : NULL, reterr);
}

static int take_line(struct maps_text *maps, const struct imported *imported, const char *line,
		     struct error *reterr)
{
	struct maps_range range;
	struct maps_line parsed;
	int ret;

	if (!maps_line_parse(line, &parsed) || parsed.end <= parsed.start ||
	    parsed.rights[2] != 'x')
		return 0;
	range = (struct maps_range){parsed.start, parsed.end, parsed.offset, .file = 0};
	ret = intern_file(maps, imported, *parsed.path ? parsed.path : "[anon]", &range.file,
			  reterr);
	if (ret < 0)
		return ret;
	if (ARRAY_RESERVE(maps->ranges, maps->range_capacity, maps->range_count + 1))
		return -ENOMEM;
	maps->ranges[maps->range_count++] = range;
	return 0;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct maps_range *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

int maps_text_read(struct maps_text *maps, const struct imported *imported, const char *text,
		   size_t size, struct error *reterr)
{
	char line[LINE_MAX];
	int ret = 0;

	while (size && ret >= 0) {
		const char *end = memchr(text, '\n', size);
		size_t length = end ? (size_t)(end - text) : size;

		if (length < sizeof(line)) {
			memcpy(line, text, length);
			line[length] = '\0';
			ret = take_line(maps, imported, line, reterr);
		}
		length += end != NULL;
		text += length;
		size -= length;
	}
	ARRAY_SORT(maps->ranges, maps->range_count, compare_ranges);
	return ret;
}

/* The mapping of what has no address of its own: offsets of a file that is not here, or no file. */
static int plain_mapping(struct imported *imported, const char *path, enum profile_class class,
			 const char *note, uint32_t *ret_mapping)
{
	struct profile_mapping mapping = {.class = class, .limit = UINT64_MAX};
	int ret = profile_string(imported->builder.profile, path, &mapping.path);

	if (ret >= 0)
		ret = profile_string(imported->builder.profile, note, &mapping.note);
	return ret < 0 ? ret : builder_mapping(&imported->builder, &mapping, ret_mapping);
}

static int place(struct maps_file *file, size_t index, struct imported *imported, uint64_t offset,
		 uint32_t *ret_mapping, uint64_t *ret_address)
{
	const char *path = file->name, *note = "";
	int ret = 0;

	if (file->file.identity.inode) {
		if (!file->has_map)
			ret = file_map_open(&file->map, &file->file, &(struct mounts){0});
		file->has_map = true;
		return ret < 0 ? ret
			       : file_map_place(&file->map, &imported->builder, offset, ret_mapping,
						ret_address);
	}
	if (is_file(path))
		note = "not known to be the file that is here: its offsets are shown; name the "
		       "program with --program";
	if (!file->has_mapping)
		ret = plain_mapping(imported, path, class_of(path, index), note, &file->mapping);
	file->has_mapping = ret >= 0;
	*ret_mapping = file->mapping;
	*ret_address = offset;
	return ret;
}

static const struct maps_range *find(const struct maps_text *maps, uint64_t address)
{
	size_t at = ARRAY_FIRST_NOT(i, maps->range_count, maps->ranges[i].limit <= address);

	if (at == maps->range_count || address < maps->ranges[at].start)
		return NULL;
	return &maps->ranges[at];
}

bool maps_text_has(const struct maps_text *maps, uint64_t address)
{
	return find(maps, address) != NULL;
}

static int place_nowhere(struct maps_text *maps, struct imported *imported, uint32_t *ret_location)
{
	struct profile_location location = {
		.kind = LOCATION_UNRESOLVED,
		.address = UNRESOLVED_NO_MAPPING,
	};
	int ret = 0;

	if (!maps->has_nowhere)
		ret = plain_mapping(imported, "[unresolved]", CLASS_UNRESOLVED, "", &maps->nowhere);
	maps->has_nowhere = ret >= 0;
	location.mapping = maps->nowhere;
	return ret < 0 ? ret
		       : builder_location(&imported->builder, &location, /* frames= */ 0,
					  ret_location);
}

int maps_text_place(struct maps_text *maps, struct imported *imported, uint64_t address,
		    uint32_t *ret_location)
{
	const struct maps_range *range = find(maps, address);
	struct profile_location location = {.address = address};
	int ret;

	if (!range)
		return place_nowhere(maps, imported, ret_location);
	/* Memory of no file has no offset: its addresses are its own. */
	if (is_file(maps->files[range->file].name))
		address = address - range->start + range->offset;
	ret = place(&maps->files[range->file], range->file, imported, address, &location.mapping,
		    &location.address);
	return ret < 0 ? ret
		       : builder_location(&imported->builder, &location, /* frames= */ 0,
					  ret_location);
}

void maps_text_done(struct maps_text *maps)
{
	for (size_t i = 0; i < maps->file_count; i++) {
		file_map_done(&maps->files[i].map);
		free(maps->files[i].file.path);
		free(maps->files[i].name);
	}
	strings_free(maps->names);
	free(maps->files);
	free(maps->ranges);
	*maps = (struct maps_text){0};
}
