// SPDX-License-Identifier: BSD-2-Clause
#include "target/cgroups.h"

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
