// SPDX-License-Identifier: BSD-2-Clause
#include "profile/unpack.h"

#include "base/array.h"
#include "base/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define CHUNK ((size_t)64 << 10)

static int why_not(gzFile file)
{
	int code;

	(void)gzerror(file, &code);
	if (code == Z_ERRNO)
		return errno ? -errno : -EIO;
	return code == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

/* PACKED: how many bytes there are to read; 0: that is not known. */
static int read_all(gzFile file, uint64_t packed, uint8_t **bytes, size_t *size)
{
	size_t capacity = 0;
	int got;

	do {
		if (*size > UNPACK_MAX)
			return -EFBIG;
		if (ARRAY_RESERVE(*bytes, capacity, *size + CHUNK))
			return -ENOMEM;
		got = gzread(file, *bytes + *size, CHUNK);
		if (got < 0)
			return why_not(file);
		*size += (size_t)got;
		progress_at((uint64_t)gzoffset(file) / 1000, packed / 1000);
	} while (got);
	return 0;
}

static int unpack_open(int fd, uint8_t **bytes, size_t *size)
{
	gzFile file = gzdopen(fd, "rb");
	struct stat status;
	int ret, closed;

	if (!file) {
		close(fd);
		return -ENOMEM;
	}
	progress_begin("unpacking", "kB");
	ret = read_all(file, fstat(fd, &status) ? 0 : (uint64_t)status.st_size, bytes, size);
	progress_end();
	/* Closing tells of a file that ended in the middle of a member. */
	closed = gzclose_r(file);
	if (!ret && closed)
		ret = closed == Z_ERRNO ? -errno : -EBADMSG;
	return ret;
}

static int unpack_error(struct error *reterr, int code, const char *path)
{
	switch (code) {
	case -EBADMSG:
		return error_set(reterr, code,
				 "%s: not a profile (damaged or cut short): "
				 "give a pprof file (.pb.gz)",
				 path);
	case -EFBIG:
		return error_set(reterr, code,
				 "%s: more than 1 GiB when unpacked: give a smaller profile", path);
	default:
		return error_set(reterr, code, "%s: %s: give a pprof file (.pb.gz)", path,
				 strerror(-code));
	}
}

int unpack_file(const char *path, uint8_t **ret_bytes, size_t *ret_size, struct error *reterr)
{
	int fd = strcmp(path, "-") != 0 ? open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC)
					: fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	uint8_t *bytes = NULL;
	size_t size = 0;
	int ret;

	if (fd < 0)
		return unpack_error(reterr, -errno, path);
	ret = unpack_open(fd, &bytes, &size);
	if (ret) {
		free(bytes);
		return unpack_error(reterr, ret, path);
	}
	*ret_bytes = bytes;
	*ret_size = size;
	return 0;
}
