// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/gmon.h"

#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NULL_DEVICE makedev(1, 3)

static int take_null(int fd)
{
	struct stat status;

	if (fstat(fd, &status))
		return -1;
	if (!S_ISCHR(status.st_mode) || status.st_rdev != NULL_DEVICE) {
		errno = ENODEV;
		return -1;
	}
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
		if (dup2(fd, i) < 0)
			return -1;
	return 0;
}

static int open_null(void)
{
	int fd = open(_PATH_DEVNULL, O_RDWR), ret;

	if (fd < 0)
		return -1;
	ret = take_null(fd);
	if (fd > STDERR_FILENO)
		(void)close(fd);
	return ret;
}

EXPORT int daemon(int nochdir, int noclose)
{
	pid_t child = fork();

	if (child < 0)
		return -1;
	if (child) {
		_mcleanup();
		_exit(0);
	}
	if (setsid() < 0)
		return -1;
	/* Where it cannot it stays, as with the C library's. */
	if (!nochdir && chdir("/") < 0)
		nochdir = 1;
	return noclose ? 0 : open_null();
}
