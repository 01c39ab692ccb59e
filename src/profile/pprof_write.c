// SPDX-License-Identifier: BSD-2-Clause
#include "profile/pprof.h"

#include "profile/replace.h"
#include "profile/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int put_profile(struct writer *writer)
{
	size_t count = strings_count(writer->profile->strings);
	int ret = -ENOMEM;

	writer->strings = strings_new();
	writer->numbers = calloc(count + 1, sizeof(*writer->numbers));
	writer->values = calloc(writer_values(writer), sizeof(*writer->values));
	if (writer->strings && writer->numbers && writer->values)
		ret = writer_find_amounts(writer);
	ret = ret ? ret : writer_samples(writer);
	ret = ret ? ret : writer_places(writer);
	ret = ret ? ret : writer_head(writer);
	ret = ret ? ret : writer_strings(writer);
	strings_free(writer->strings);
	free(writer->numbers);
	free(writer->values);
	writer_done_amounts(writer);
	free(writer->message.bytes);
	free(writer->stack);
	return ret;
}

/* MODE is zlib's.  It closes what it is given, and FD is still to be used; its own header bears no
 * time, so equal profiles are equal files. */
static int write_to(struct writer *writer, int fd, const char *mode)
{
	int copy = dup(fd), ret, closed;

	if (copy < 0)
		return -errno;
	writer->out = gzdopen(copy, mode);
	if (!writer->out) {
		close(copy);
		return -ENOMEM;
	}
	ret = put_profile(writer);
	errno = 0;
	closed = gzclose_w(writer->out);
	if (!ret && closed != Z_OK)
		ret = closed == Z_ERRNO && errno ? -errno : -EIO;
	return ret;
}

int pprof_check(const char *path, unsigned how, struct error *reterr)
{
	return replace_check(path, how, reterr);
}

bool pprof_in_place(const char *path)
{
	return replace_in_place(path);
}

int writer_replace(struct writer *writer, const char *path, unsigned how, struct error *reterr)
{
	struct replace replace;
	int ret = replace_open(&replace, path, how | profile_privacy(writer->profile), reterr);

	if (ret)
		return ret;
	ret = write_to(writer, replace.fd, "wb");
	if (ret)
		replace_abandon(&replace);
	else
		ret = replace_commit(&replace);
	return ret ? replace_error(reterr, ret, path) : 0;
}

int pprof_write(const struct profile *profile, const char *path, struct error *reterr)
{
	struct writer writer = {.profile = profile};

	return writer_replace(&writer, path, /* how= */ 0, reterr);
}

int pprof_write_keeping(const struct profile *profile, const char *path, struct error *reterr)
{
	struct writer writer = {.profile = profile};

	return writer_replace(&writer, path, REPLACE_KEEP, reterr);
}

int pprof_send(const struct profile *profile, int fd)
{
	struct writer writer = {.profile = profile};

	return write_to(&writer, fd, "wbT");
}
