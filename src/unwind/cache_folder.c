// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/cache_folder.h"

#include "base/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the folder ---- */

/* FD, if the folder is of this user, and nobody else writes there; else -1, and it is closed. */
static int if_ours(int fd)
{
	struct stat status;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &status) && status.st_uid == geteuid() &&
	    !(status.st_mode & (S_IWGRP | S_IWOTH)))
		return fd;
	(void)close(fd);
	return -1;
}

/* NAME in PARENT, which is ours: made where it is not there. */
static int open_below(int parent, const char *name, int more)
{
	int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | more;
	int fd = openat(parent, name, flags);

	if (fd < 0 && errno == ENOENT && !mkdirat(parent, name, 0700))
		fd = openat(parent, name, flags | O_NOFOLLOW);
	return if_ours(fd);
}

/* profil's folder in the cache PATH / NAME.  The user may have put his cache elsewhere by a link.
 */
static int open_in(const char *path, const char *name)
{
	int base, cache, fd;

	if (!path || *path != '/')
		return -1;
	base = if_ours(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (base < 0 || !name)
		cache = base;
	else
		cache = open_below(base, name, /* more= */ 0);
	fd = cache < 0 ? -1 : open_below(cache, "profil", O_NOFOLLOW);
	if (cache >= 0 && cache != base)
		(void)close(cache);
	if (base >= 0)
		(void)close(base);
	return fd;
}

int unwind_cache_folder(void)
{
	const char *cache = getenv("XDG_CACHE_HOME");

	return cache && *cache ? open_in(cache, NULL) : open_in(getenv("HOME"), ".cache");
}

/* ---- its size ---- */

struct file {
	struct timespec used;
	uint64_t size;
	char name[NAME_MAX + 1];
};

struct files {
	struct file *all; /* heap */
	size_t count, capacity;
	uint64_t size;
};

static int by_age(const void *left, const void *right)
{
	const struct file *a = left, *b = right;

	ARRAY_COMPARE(a->used.tv_sec, b->used.tv_sec);
	ARRAY_COMPARE(a->used.tv_nsec, b->used.tv_nsec);
	return strcmp(a->name, b->name);
}

static void add(struct files *files, int folder, const char *name)
{
	struct stat status;
	struct file *file;

	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode) ||
	    ARRAY_RESERVE(files->all, files->capacity, files->count + 1))
		return;
	file = &files->all[files->count++];
	*file = (struct file){.used = status.st_mtim, .size = (uint64_t)status.st_size};
	(void)snprintf(file->name, sizeof(file->name), "%s", name);
	files->size += file->size;
}

void unwind_cache_trim(int folder, uint64_t bytes)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct files files = {0};
	struct dirent *entry;

	if (!stream) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	while ((entry = readdir(stream)))
		add(&files, folder, entry->d_name);
	(void)closedir(stream);
	if (files.size > bytes)
		ARRAY_SORT(files.all, files.count, by_age);
	for (size_t i = 0; i < files.count && files.size > bytes; i++)
		if (!unlinkat(folder, files.all[i].name, 0))
			files.size -= files.all[i].size;
	free(files.all);
}
