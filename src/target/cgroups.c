// SPDX-License-Identifier: BSD-2-Clause
#include "target/cgroups.h"

#include <inttypes.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum cgroups cgroups_in_use(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	bool old = false, new = false;
	struct mntent entry;
	char line[4096];

	if (!mounts)
		return CGROUPS_OLD;
	while (getmntent_r(mounts, &entry, line, sizeof(line))) {
		old |= !strcmp(entry.mnt_type, "cgroup");
		new |= !strcmp(entry.mnt_type, "cgroup2");
	}
	(void)endmntent(mounts);
	if (!new)
		return CGROUPS_OLD;
	return old ? CGROUPS_MIXED : CGROUPS_UNIFIED;
}

/* The number in the file AFTER of GROUP; 0: there is none. */
static uint64_t read_limit(const char *before, const char *group, const char *after)
{
	char path[4096];
	uint64_t limit = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/sys/fs/cgroup%s%s/%s", before, group, after);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%" SCNu64, &limit) != 1) /* "max" */
		limit = 0;
	(void)fclose(file);
	/* Version 1 says so where there is none. */
	return limit < (uint64_t)1 << 60 ? limit : 0;
}

uint64_t cgroups_memory_limit(void)
{
	FILE *groups = fopen("/proc/self/cgroup", "re");
	uint64_t limit = 0;
	char line[4096];

	while (groups && !limit && fgets(line, sizeof(line), groups)) {
		char *kind = strchr(line, ':'), *group = kind ? strchr(kind + 1, ':') : NULL;

		if (!group)
			continue;
		group[strcspn(group, "\n")] = '\0';
		*group++ = '\0';
		if (!strcmp(kind, ":memory"))
			limit = read_limit("/memory", group, "memory.limit_in_bytes");
		else if (!kind[1])
			limit = read_limit("", group, "memory.max");
	}
	if (groups)
		(void)fclose(groups);
	return limit;
}
