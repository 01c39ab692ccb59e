// SPDX-License-Identifier: BSD-2-Clause
#include "target/cgroups.h"

#include <mntent.h>
#include <stdio.h>
#include <string.h>

bool cgroups_in_use(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	bool found = false;

	if (!mounts)
		return false;
	while (!found && (entry = getmntent(mounts)))
		found = !strcmp(entry->mnt_type, "cgroup2");
	(void)endmntent(mounts);
	return found;
}
