// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/perfmap_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAP_FLAGS (O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)

static bool owner_of(uint32_t pid, uid_t *ret_owner)
{
	char path[64];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%" PRIu32, pid);
	if (stat(path, &status))
		return false;
	*ret_owner = status.st_uid;
	return true;
}

/* Anyone may write to /tmp, so a map is believed from ourselves, root, and the process's owner.
 * That one counts for root alone: whoever else measures, measures processes of his own, and a
 * number that now is another user's process was none of them. */
static bool is_trusted(const struct stat *status, uint32_t pid)
{
	uid_t owner;

	if (!S_ISREG(status->st_mode))
		return false;
	if (status->st_uid == geteuid() || status->st_uid == 0)
		return true;
	return !geteuid() && owner_of(pid, &owner) && status->st_uid == owner;
}

/* The number that process PID knows itself by, in the innermost namespace: the last of its line. */
static bool own_number(uint32_t pid, uint32_t *ret_number)
{
	char text[256];
	FILE *file;
	bool is_found = false;

	snprintf(text, sizeof(text), "/proc/%" PRIu32 "/status", pid);
	file = fopen(text, "re");
	while (file && !is_found && fgets(text, sizeof(text), file))
		is_found = !strncmp(text, "NSpid:", 6);
	if (file)
		fclose(file);
	if (is_found)
		*ret_number = (uint32_t)strtoul(strrchr(text, '\t') + 1, NULL, 10);
	return is_found;
}

/* No link of the container's may lead out of it. */
static int open_below(const char *root, const char *path)
{
	struct open_how how = {.flags = MAP_FLAGS, .resolve = RESOLVE_IN_ROOT};
	int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;

	if (folder < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
	if (fd < 0)
		fd = -errno;
	close(folder);
	return fd;
}

/* Where the process itself sees the map. */
static int open_inside(const char *folder, uint32_t pid)
{
	char path[4096], root[64];
	uint32_t number;
	int length;

	if (!own_number(pid, &number))
		return -ESRCH;
	length = snprintf(path, sizeof(path), "%s/perf-%" PRIu32 ".map", folder, number);
	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	snprintf(root, sizeof(root), "/proc/%" PRIu32 "/root", pid);
	return open_below(root, path);
}

static int open_here(const char *folder, uint32_t pid)
{
	char path[4096];
	int length = snprintf(path, sizeof(path), "%s/perf-%" PRIu32 ".map", folder, pid);
	int fd;

	if (length < 0 || (size_t)length >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, MAP_FLAGS);
	return fd < 0 ? -errno : fd;
}

int perfmap_open(const char *folder, uint32_t pid, off_t *ret_size)
{
	struct stat status;
	int fd = open_inside(folder, pid);

	if (fd < 0)
		fd = open_here(folder, pid);
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) || !is_trusted(&status, pid)) {
		close(fd);
		return -EACCES;
	}
	*ret_size = status.st_size;
	return fd;
}
