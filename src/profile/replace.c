// SPDX-License-Identifier: BSD-2-Clause
#include "profile/replace.h"

#include "base/capability.h"
#include "base/parse.h"
#include "base/write_all.h"
#include "profile/beside.h"
#include "profile/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/stat.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPORARY_TRIES 1000

int replace_error(struct error *reterr, int code, const char *path)
{
	const char *advice = "name another place";

	if (code == -ENXIO)
		return error_set(reterr, code,
				 "%s: nobody reads this pipe: start its reader first, "
				 "or name a file with -o",
				 path);
	if (code == -ENOSPC || code == -EDQUOT)
		advice = "free some space or name another place";
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
static int open_temporary(struct replace *replace, mode_t mode)
{
	for (unsigned attempt = 0; attempt < TEMPORARY_TRIES; attempt++) {
		replace->temporary = temporary_name(replace->path, attempt);
		if (!replace->temporary)
			return -ENOMEM;
		replace->fd = open(replace->temporary,
				   O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, mode);
		if (replace->fd >= 0)
			return 0;
		free(replace->temporary);
		replace->temporary = NULL;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static bool lacks(unsigned capability)
{
	return !(capability_effective() >> capability & 1);
}

/* Why rename(2) would refuse to put a file in the place of FILE in FOLDER, or NULL.  By the
 * kernel's rules and not by trying: there is no trial that leaves what stands there alone. */
static const char *why_not(const struct statx *folder, const struct statx *file, int *ret_code)
{
	uint64_t fixed = STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND;
	uid_t me = geteuid();

	*ret_code = -EPERM;
	if (folder->stx_attributes & fixed)
		return "its folder is immutable or append-only (chattr)";
	if (!file)
		return NULL;
	if (file->stx_attributes & fixed)
		return "it is immutable or append-only (chattr)";
	if (folder->stx_mode & S_ISVTX && folder->stx_uid != me && file->stx_uid != me &&
	    lacks(CAP_FOWNER))
		return "another user's, in a folder where only owners replace files";
	*ret_code = -EBUSY;
	if (file->stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return "a mount of its own, which cannot be replaced";
	*ret_code = -EISDIR;
	return S_ISDIR(file->stx_mode) ? "a folder" : NULL;
}

/* Returns 0 where a file can be put at PATH; or -errno with a sentence. */
static int check_place(const char *path, struct error *reterr)
{
	struct statx folder, file;
	char *name = folder_of(path);
	bool is_there = !statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &file);
	const char *why = NULL;
	int ret = name ? 0 : -ENOMEM;

	if (!ret && statx(AT_FDCWD, name, 0, STATX_BASIC_STATS, &folder))
		ret = -errno;
	free(name);
	if (!ret)
		why = why_not(&folder, is_there ? &file : NULL, &ret);
	else
		return ret;
	return why ? error_set(reterr, ret, "%s: %s: name another place", path, why) : 0;
}

/* A device or a pipe.  What has become a regular file meanwhile is not written over.  To open a
 * pipe that nobody reads would wait for a reader, and to open some devices for their other end. */
static int open_in_place(struct replace *replace, const struct followed *followed)
{
	int flags = O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK |
		    (followed->is_magic ? 0 : O_NOFOLLOW);
	struct stat opened;

	replace->fd = open(followed->path, flags);
	if (replace->fd < 0 || fstat(replace->fd, &opened))
		return -errno;
	if (S_ISREG(opened.st_mode))
		return -EBUSY;
	return fcntl(replace->fd, F_SETFL, O_WRONLY) ? -errno : 0;
}

/* An empty file, such as mktemp(1) makes, is nothing to keep. */
static bool is_worth_keeping(const char *path)
{
	struct stat there;

	return !lstat(path, &there) && S_ISREG(there.st_mode) && there.st_size;
}

/* Whose the file is to be where sudo(8) started it, if it is new or was his. */
static void give_to_caller(const struct replace *replace)
{
	const char *user = getenv("SUDO_UID"), *group = getenv("SUDO_GID");
	struct stat there;
	uint64_t uid, gid;

	if (geteuid() || !user || !group || parse_count(user, 1, UINT32_MAX - 1, &uid) ||
	    parse_count(group, 0, UINT32_MAX - 1, &gid))
		return;
	if (lstat(replace->path, &there) ? errno != ENOENT : there.st_uid != (uid_t)uid)
		return;
	/* Where that cannot be (a file system without owners), it stays root's. */
	if (fchown(replace->fd, (uid_t)uid, (gid_t)gid))
		return;
}

/* Takes the path out of FOLLOWED where it is to be replaced. */
static int open_followed(struct replace *replace, struct followed *followed, unsigned how,
			 struct error *reterr)
{
	int ret;

	if (followed->is_folder)
		return -EISDIR;
	if (followed->is_special)
		return open_in_place(replace, followed);
	replace->path = followed->path;
	followed->path = NULL;
	ret = check_place(replace->path, reterr);
	if (!ret && how & REPLACE_KEEP && is_worth_keeping(replace->path)) {
		replace->old = beside(replace->path, "old");
		ret = replace->old ? check_place(replace->old, reterr) : -ENOMEM;
	}
	if (!ret)
		ret = open_temporary(replace, how & REPLACE_PRIVATE ? 0600 : 0666);
	if (!ret)
		give_to_caller(replace);
	return ret;
}

int replace_check(const char *path, unsigned how, struct error *reterr)
{
	struct followed followed;
	struct replace replace;
	int ret = follow(path, &followed, reterr);

	if (ret)
		return ret;
	free(followed.path);
	if (followed.is_special)
		return 0;
	ret = replace_open(&replace, path, how, reterr);
	if (!ret)
		replace_abandon(&replace);
	return ret;
}

bool replace_in_place(const char *path)
{
	struct followed followed;
	struct error why;

	if (follow(path, &followed, &why))
		return false;
	free(followed.path);
	return followed.is_special;
}

int replace_open(struct replace *replace, const char *path, unsigned how, struct error *reterr)
{
	struct error why = {""};
	struct followed followed;
	int ret;

	*replace = (struct replace){.fd = -1};
	ret = follow(path, &followed, reterr);
	if (ret)
		return ret;
	ret = open_followed(replace, &followed, how, &why);
	free(followed.path);
	if (!ret)
		return 0;
	replace_abandon(replace);
	if (*why.text)
		return error_set(reterr, ret, "%s", why.text);
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

/* At each moment there is a whole file at the path, where the file system can exchange two. */
static int put_and_keep(const struct replace *replace)
{
	int ret;

	if (renameat2(AT_FDCWD, replace->temporary, AT_FDCWD, replace->path, RENAME_EXCHANGE)) {
		if (errno != EINVAL && errno != ENOSYS)
			return -errno;
		return rename(replace->path, replace->old) ||
				       rename(replace->temporary, replace->path)
			       ? -errno
			       : 0;
	}
	if (!rename(replace->temporary, replace->old))
		return 0;
	ret = -errno;
	/* Else what was there would be the temporary file, which is taken away. */
	(void)renameat2(AT_FDCWD, replace->temporary, AT_FDCWD, replace->path, RENAME_EXCHANGE);
	return ret;
}

static int put_in_place(const struct replace *replace)
{
	if (replace->old && is_worth_keeping(replace->path))
		return put_and_keep(replace);
	return rename(replace->temporary, replace->path) ? -errno : 0;
}

int replace_commit(struct replace *replace)
{
	int ret = replace->temporary ? sync_file(replace->fd) : 0;
	int closed = close_file(replace);

	ret = ret ? ret : closed;
	if (!ret && replace->temporary)
		ret = put_in_place(replace);
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
	free(replace->old);
	free(replace->path);
	*replace = (struct replace){.fd = -1};
}

int replace_with(const char *path, unsigned how, const void *data, size_t size,
		 struct error *reterr)
{
	struct replace replace;
	int ret = replace_open(&replace, path, how, reterr);

	if (ret)
		return ret;
	ret = write_all(replace.fd, data, size);
	if (ret)
		replace_abandon(&replace);
	else
		ret = replace_commit(&replace);
	return ret ? replace_error(reterr, ret, path) : 0;
}
