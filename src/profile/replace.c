// SPDX-License-Identifier: BSD-2-Clause
#include "profile/replace.h"

#include "profile/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY_TRIES 1000

int replace_error(struct error *reterr, int code, const char *path)
{
	const char *advice = "name another place with -o";

	if (code == -ENOSPC || code == -EDQUOT)
		advice = "free some space or name another place with -o";
	return error_set(reterr, code, "%s: %s: %s", path, strerror(-code), advice);
}

/* Not PATH with an ending, which could be too long a name. */
static char *temporary_name(const char *path, unsigned attempt)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;
	char *name;

	if (asprintf(&name, "%.*s.profil-%d-%u", folder, path, (int)getpid(), attempt) < 0)
		return NULL;
	return name;
}

/* Made by open(2) itself, not mkstemp(3), whose mode would ignore the umask and the folder's
 * default ACL. */
static int open_temporary(struct replace *replace)
{
	for (unsigned attempt = 0; attempt < TEMPORARY_TRIES; attempt++) {
		replace->temporary = temporary_name(replace->path, attempt);
		if (!replace->temporary)
			return -ENOMEM;
		replace->fd = open(replace->temporary,
				   O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, 0666);
		if (replace->fd >= 0)
			return 0;
		free(replace->temporary);
		replace->temporary = NULL;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* A device or a pipe.  What has become a regular file meanwhile is not written over. */
static int open_in_place(struct replace *replace, const struct followed *followed)
{
	int flags = O_WRONLY | O_NOCTTY | O_CLOEXEC | (followed->is_magic ? 0 : O_NOFOLLOW);
	struct stat opened;

	replace->fd = open(followed->path, flags);
	if (replace->fd < 0 || fstat(replace->fd, &opened))
		return -errno;
	return S_ISREG(opened.st_mode) ? -EBUSY : 0;
}

/* Takes the path out of FOLLOWED where it is to be replaced. */
static int open_followed(struct replace *replace, struct followed *followed)
{
	if (followed->is_folder)
		return -EISDIR;
	if (followed->is_special)
		return open_in_place(replace, followed);
	replace->path = followed->path;
	followed->path = NULL;
	return open_temporary(replace);
}

int replace_check(const char *path, struct error *reterr)
{
	struct followed followed;
	struct replace replace;
	int ret = follow(path, &followed, reterr);

	if (ret)
		return ret;
	free(followed.path);
	if (followed.is_special)
		return 0;
	ret = replace_open(&replace, path, reterr);
	if (!ret)
		replace_abandon(&replace);
	return ret;
}

int replace_open(struct replace *replace, const char *path, struct error *reterr)
{
	struct followed followed;
	int ret;

	*replace = (struct replace){.fd = -1};
	ret = follow(path, &followed, reterr);
	if (ret)
		return ret;
	ret = open_followed(replace, &followed);
	free(followed.path);
	if (!ret)
		return 0;
	replace_abandon(replace);
	return replace_error(reterr, ret, path);
}

/* Some file systems know no fsync. */
static int sync_file(int fd)
{
	if (!fsync(fd) || errno == EINVAL || errno == EROFS || errno == ENOSYS)
		return 0;
	return -errno;
}

static int close_file(struct replace *replace)
{
	int fd = replace->fd;

	replace->fd = -1;
	return close(fd) ? -errno : 0;
}

int replace_commit(struct replace *replace)
{
	int ret = replace->temporary ? sync_file(replace->fd) : 0;
	int closed = close_file(replace);

	ret = ret ? ret : closed;
	if (!ret && replace->temporary && rename(replace->temporary, replace->path))
		ret = -errno;
	if (!ret) {
		/* Nothing is left to be taken away. */
		free(replace->temporary);
		replace->temporary = NULL;
	}
	replace_abandon(replace);
	return ret;
}

void replace_abandon(struct replace *replace)
{
	if (replace->fd >= 0)
		close(replace->fd);
	if (replace->temporary)
		(void)unlink(replace->temporary);
	free(replace->temporary);
	free(replace->path);
	*replace = (struct replace){.fd = -1};
}
