// SPDX-License-Identifier: BSD-2-Clause
#include "profile/file_map.h"

#include "base/build_id.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NOT_YET UINT32_MAX

/* The same path, behind the root of a process of the file's own mount namespace. */
static int inspect_there(struct file_map *map)
{
	const struct histogram_file *file = map->file;
	char *path;
	int ret;

	if (asprintf(&path, "%s%s", map->root, file->path) < 0)
		return -ENOMEM;
	module_done(&map->module);
	ret = module_inspect(path, &file->identity, map->build_id, &map->module);
	free(path);
	return ret;
}

static int inspect(struct file_map *map, struct mounts *mounts)
{
	const struct histogram_file *file = map->file;
	int ret = module_inspect(file->path, &file->identity, map->build_id, &map->module);

	if (ret || map->module.state == MODULE_SAME || !file->path || *file->path != '/' ||
	    !mounts_elsewhere(file->mounts))
		return ret;
	ret = mounts_root(mounts, file->mounts, (pid_t)file->pid, map->root);
	if (ret)
		return ret;
	map->out_of_reach = !*map->root;
	return map->out_of_reach ? 0 : inspect_there(map);
}

int file_map_open(struct file_map *map, const struct histogram_file *file, struct mounts *mounts)
{
	size_t slots;
	int ret;

	map->file = file;
	build_id_print(file->build_id, file->build_id_size, map->build_id);
	ret = inspect(map, mounts);
	if (ret)
		return ret;
	if (map->module.state == MODULE_SAME)
		strcpy(map->build_id, map->module.build_id);
	slots = map->module.segment_count + 1;
	map->mappings = malloc(slots * sizeof(*map->mappings));
	if (!map->mappings)
		return -ENOMEM;
	memset(map->mappings, 0xff, slots * sizeof(*map->mappings));
	return 0;
}

void file_map_done(struct file_map *map)
{
	module_done(&map->module);
	free(map->mappings);
	memset(map, 0, sizeof(*map));
}

/* A file whose path the engine did not learn is called by what is known of it. */
static int path_of(const struct histogram_file *file, struct builder *builder, uint32_t *ret_id)
{
	char text[80];

	if (file->path && *file->path)
		return profile_string(builder->profile, file->path, ret_id);
	(void)snprintf(text, sizeof(text), "[device %u:%u inode %llu]",
		       major(file->identity.device), minor(file->identity.device),
		       (unsigned long long)file->identity.inode);
	return profile_string(builder->profile, text, ret_id);
}

static const char *note_of(const struct file_map *map)
{
	if (map->out_of_reach)
		return "in a mount namespace of which no process is left: its addresses are shown "
		       "as they are";
	if (map->module.state != MODULE_SAME)
		return module_state_text(map->module.state);
	return "not in any segment of the file: its file offsets are shown as they are";
}

/* SEGMENT NULL: nothing is known of the file's layout, its offsets are the addresses. */
static int add_mapping(struct file_map *map, struct builder *builder,
		       const struct module_segment *segment, uint32_t *ret_index)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct profile_mapping mapping = {
		.class = map->file->is_program ? CLASS_PROGRAM : CLASS_LIBRARIES,
		.limit = UINT64_MAX,
		.identity = map->file->identity,
	};

	if (segment) {
		mapping.start = segment->address & -page;
		mapping.limit = (segment->address + segment->size + page - 1) & -page;
		mapping.offset = segment->offset & -page;
	}
	if (path_of(map->file, builder, &mapping.path) ||
	    profile_string(builder->profile, map->build_id, &mapping.build_id) ||
	    profile_string(builder->profile, segment ? "" : note_of(map), &mapping.note) ||
	    profile_string(builder->profile, map->root, &mapping.root))
		return -ENOMEM;
	return builder_mapping(builder, &mapping, ret_index);
}

static int mapping_of(struct file_map *map, struct builder *builder,
		      const struct module_segment *segment, uint32_t *ret_mapping)
{
	size_t slot =
		segment ? (size_t)(segment - map->module.segments) : map->module.segment_count;
	int ret = 0;

	if (map->mappings[slot] == NOT_YET)
		ret = add_mapping(map, builder, segment, &map->mappings[slot]);
	if (!ret)
		*ret_mapping = map->mappings[slot];
	return ret;
}

int file_map_place(struct file_map *map, struct builder *builder, uint64_t offset,
		   uint32_t *ret_mapping, uint64_t *ret_address)
{
	const struct module_segment *segment;
	uint64_t address = offset;

	segment = module_address(&map->module, offset, &address);
	*ret_address = address;
	return mapping_of(map, builder, segment, ret_mapping);
}

int file_map_overflow(struct file_map *map, struct builder *builder, uint32_t *ret_mapping,
		      uint64_t *ret_address)
{
	const struct module_segment *text = NULL;
	int ret;

	for (size_t i = 0; !text && i < map->module.segment_count; i++)
		if (map->module.segments[i].executable)
			text = &map->module.segments[i];
	ret = mapping_of(map, builder, text, ret_mapping);
	if (!ret)
		*ret_address = builder->profile->mappings[*ret_mapping].start;
	return ret;
}
