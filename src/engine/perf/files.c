// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/files.h"

#include "base/array.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

/* Modification times are wall-clock time, records monotonic. */
static int64_t wall_ns(uint64_t monotonic)
{
	struct timespec wall, now;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)monotonic + (int64_t)(wall.tv_sec - now.tv_sec) * 1000000000 +
	       wall.tv_nsec - now.tv_nsec;
}

/* Where several file systems are shown as one (overlay, btrfs), stat(2) invents a device of major
 * number 0; the kernel's mapping knows the real one. */
static bool is_it(const struct stat *status, uint64_t device, uint64_t inode)
{
	return status->st_ino == inode && (status->st_dev == device || !major(status->st_dev));
}

static int64_t modified_of(const struct stat *status)
{
	return (int64_t)status->st_mtim.tv_sec * 1000000000 + status->st_mtim.tv_nsec;
}

/* The process may have a root of its own; when it is gone, its path is tried as one of ours. */
static int64_t modified_ns(const struct perf_mapped *mapped)
{
	char path[PATH_MAX + 32];
	struct stat status;
	int64_t time;

	(void)snprintf(path, sizeof(path), "/proc/%d/root%s", (int)mapped->pid, mapped->path);
	if ((stat(path, &status) || !is_it(&status, mapped->device, mapped->inode)) &&
	    (stat(mapped->path, &status) || !is_it(&status, mapped->device, mapped->inode)))
		return 0;
	time = modified_of(&status);
	return time > wall_ns(mapped->time_ns) ? 0 : time;
}

/* A time that is not known may be any: a file that was seen before it went away is still that. */
static bool agrees(const struct histogram_file *file, const struct perf_mapped *mapped,
		   int64_t modified)
{
	const struct file_identity *identity = &file->identity;

	return identity->inode == mapped->inode && identity->device == mapped->device &&
	       (!modified || identity->mtime_ns == modified) &&
	       (!mapped->generation || !identity->generation ||
		identity->generation == mapped->generation);
}

static int add(struct perf_files *files, const struct perf_mapped *mapped, int64_t modified)
{
	struct histogram_file *file;

	if (ARRAY_RESERVE(files->files, files->capacity, files->count + 1))
		return -ENOMEM;
	file = &files->files[files->count];
	*file = (struct histogram_file){
		.identity = {.device = mapped->device,
			     .inode = mapped->inode,
			     .generation = mapped->generation,
			     .mtime_ns = modified},
		.path = strdup(mapped->path),
	};
	if (!file->path)
		return -ENOMEM;
	files->count++;
	return 0;
}

int perf_files_find(struct perf_files *files, const struct perf_mapped *mapped, uint32_t *ret_index)
{
	int64_t modified = modified_ns(mapped);

	for (size_t i = files->count; i--;) {
		if (!agrees(&files->files[i], mapped, modified))
			continue;
		*ret_index = (uint32_t)i;
		return 0;
	}
	if (add(files, mapped, modified))
		return -ENOMEM;
	*ret_index = (uint32_t)files->count - 1;
	return 0;
}

bool perf_file_is(const struct histogram_file *file, int fd)
{
	struct stat status;

	return !fstat(fd, &status) && is_it(&status, file->identity.device, file->identity.inode) &&
	       file->identity.mtime_ns && modified_of(&status) == file->identity.mtime_ns;
}

int perf_files_read(const struct perf_files *files, struct histogram *histogram)
{
	if (ARRAY_RESERVE(histogram->files, histogram->file_capacity, files->count))
		return -ENOMEM;
	for (size_t i = 0; i < files->count; i++) {
		struct histogram_file *to = &histogram->files[i];

		*to = files->files[i];
		to->path = strdup(to->path);
		if (!to->path)
			return -ENOMEM;
		histogram->file_count++;
	}
	return 0;
}

void perf_files_done(struct perf_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->files[i].path);
	free(files->files);
	*files = (struct perf_files){0};
}
