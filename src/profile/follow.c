// SPDX-License-Identifier: BSD-2-Clause
#include "profile/follow.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as the kernel has it */

static int folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) + 1 : 0;
}

char *folder_of(const char *path)
{
	int length = folder_length(path);

	return length ? strndup(path, (size_t)length) : strdup(".");
}

static int take_errno(const char *path, struct error *reterr)
{
	int code = -errno;

	return error_set(reterr, code, "%s: %s: name another place", path, strerror(-code));
}

/* Whether FOUND at PATH may be followed or written to: not what a stranger could have put there. */
static int check(const char *path, const struct stat *found, struct error *reterr)
{
	char *name = folder_of(path);
	struct stat folder;
	int ret = 0;

	if (!name || stat(name, &folder))
		ret = take_errno(path, reterr);
	else if (folder.st_mode & S_IWOTH && found->st_uid != geteuid() &&
		 found->st_uid != folder.st_uid)
		ret = error_set(
			reterr, -EACCES,
			"%s: another user's %s in a folder that everybody may write to: name "
			"another place",
			path, S_ISLNK(found->st_mode) ? "symbolic link" : "pipe or device");
	free(name);
	return ret;
}

static bool is_in_proc(const char *path)
{
	char *name = folder_of(path);
	struct statfs status;
	bool is = name && !statfs(name, &status) && status.f_type == PROC_SUPER_MAGIC;

	free(name);
	return is;
}

/* What the link PATH says, as a path from here; heap. */
static char *read_link(const char *path)
{
	char text[PATH_MAX], *to;
	ssize_t length = readlink(path, text, sizeof(text));

	if (length < 0 || length == sizeof(text)) {
		errno = length < 0 ? errno : ENAMETOOLONG;
		return NULL;
	}
	if (*text == '/')
		return strndup(text, (size_t)length);
	return asprintf(&to, "%.*s%.*s", folder_length(path), path, (int)length, text) < 0 ? NULL
											   : to;
}

/* A link of /proc leads to an open file, whatever it says; where that has a path it is taken. */
static int follow_magic(struct followed *followed)
{
	char *real = realpath(followed->path, NULL);
	struct stat found;

	followed->is_magic = !real;
	if (real) {
		free(followed->path);
		followed->path = real;
	}
	if (stat(followed->path, &found))
		return -errno;
	followed->is_folder = S_ISDIR(found.st_mode);
	followed->is_special = !S_ISREG(found.st_mode) && !followed->is_folder;
	followed->is_there = true;
	return 0;
}

static int settle(struct followed *followed, const struct stat *found, struct error *reterr)
{
	followed->is_there = true;
	followed->is_folder = S_ISDIR(found->st_mode);
	followed->is_special = !S_ISREG(found->st_mode) && !followed->is_folder;
	return followed->is_special ? check(followed->path, found, reterr) : 0;
}

/* One step.  Returns 1 when it was a link, 0 at the end, or -errno with a sentence. */
static int step(struct followed *followed, struct error *reterr)
{
	struct stat found;
	char *next;
	int ret;

	if (lstat(followed->path, &found))
		return errno == ENOENT ? 0 : take_errno(followed->path, reterr);
	if (!S_ISLNK(found.st_mode))
		return settle(followed, &found, reterr);
	if (is_in_proc(followed->path))
		return follow_magic(followed) ? take_errno(followed->path, reterr) : 0;
	ret = check(followed->path, &found, reterr);
	if (ret)
		return ret;
	next = read_link(followed->path);
	if (!next)
		return take_errno(followed->path, reterr);
	free(followed->path);
	followed->path = next;
	return 1;
}

int follow(const char *path, struct followed *ret_followed, struct error *reterr)
{
	struct followed followed = {.path = strdup(path)};
	int ret = followed.path ? 1 : take_errno(path, reterr);

	if (!*path) {
		errno = ENOENT;
		ret = take_errno("-o ''", reterr);
	}
	for (int links = 0; ret > 0; links++) {
		ret = step(&followed, reterr);
		if (ret > 0 && links == LINKS_MAX) {
			errno = ELOOP;
			ret = take_errno(path, reterr);
		}
	}
	if (ret)
		free(followed.path);
	else
		*ret_followed = followed;
	return ret;
}
