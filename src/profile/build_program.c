// SPDX-License-Identifier: BSD-2-Clause
#include "profile/build_program.h"

#include "profile/file_map.h"

#include <string.h>
#include <sys/stat.h>

static bool has_program(const struct profile *profile, const char *program)
{
	for (size_t i = 0; i < profile->mapping_count; i++)
		if (profile->mappings[i].class == CLASS_PROGRAM &&
		    !strcmp(profile_text(profile, profile->mappings[i].path), program))
			return true;
	return false;
}

int build_program(struct builder *builder, struct mounts *mounts, const char *program)
{
	struct histogram_file file = {.path = (char *)program, .is_program = true};
	struct file_map map = {};
	struct stat status;
	uint32_t mapping;
	uint64_t address;
	int ret;

	if (!program || has_program(builder->profile, program) || stat(program, &status))
		return 0;
	file.identity = (struct file_identity){
		.device = status.st_dev,
		.inode = status.st_ino,
		.mtime_ns = status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec,
	};
	ret = file_map_open(&map, &file, mounts);
	if (!ret && map.module.state == MODULE_SAME)
		ret = file_map_overflow(&map, builder, &mapping, &address);
	file_map_done(&map);
	return ret;
}
