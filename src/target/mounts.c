// SPDX-License-Identifier: BSD-2-Clause
#include "target/mounts.h"

#include "base/array.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The namespace that PATH, a /proc/.../ns/mnt, leads to; 0 when it leads nowhere. */
static uint64_t number_at(const char *path)
{
	struct stat status;

	return stat(path, &status) ? 0 : status.st_ino;
}

bool mounts_elsewhere(uint64_t mounts)
{
	return mounts && mounts != number_at("/proc/self/ns/mnt");
}

static bool lives_in(pid_t pid, uint64_t number)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
	return number_at(path) == number;
}

/* Any process of the namespace will do; the one that had the file has most often ended. */
static pid_t find_process(uint64_t number, pid_t pid)
{
	DIR *proc;
	pid_t found = 0;

	if (pid && lives_in(pid, number))
		return pid;
	proc = opendir("/proc");
	if (!proc)
		return 0;
	for (struct dirent *entry; !found && (entry = readdir(proc));) {
		pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (pid > 0 && lives_in(pid, number))
			found = pid;
	}
	closedir(proc);
	return found;
}

int mounts_root(struct mounts *mounts, uint64_t number, pid_t pid, char root[MOUNTS_ROOT_MAX])
{
	struct mounts_known *known;
	size_t i = 0;
	int ret;

	while (i < mounts->count && mounts->known[i].mounts != number)
		i++;
	if (i == mounts->count) {
		ret = ARRAY_RESERVE(mounts->known, mounts->capacity, i + 1);
		if (ret)
			return ret;
		known = &mounts->known[mounts->count++];
		*known = (struct mounts_known){.mounts = number};
		pid = find_process(number, pid);
		if (pid)
			(void)snprintf(known->root, sizeof(known->root), "/proc/%d/root", (int)pid);
	}
	strcpy(root, mounts->known[i].root);
	return 0;
}

void mounts_done(struct mounts *mounts)
{
	free(mounts->known);
	*mounts = (struct mounts){0};
}
