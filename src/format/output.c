// SPDX-License-Identifier: BSD-2-Clause
#include "format/output.h"

#include "base/visible.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static int open_file(struct output *output, const struct profile *profile, struct error *reterr)
{
	int ret, fd;

	ret = replace_open(&output->replace, output->path, profile_privacy(profile), reterr);
	if (ret < 0)
		return ret;
	/* A descriptor of its own, for the other is closed by replace_commit(). */
	fd = dup(output->replace.fd);
	output->under = fd < 0 ? NULL : fdopen(fd, "w");
	if (output->under)
		return 0;
	ret = -errno;
	if (fd >= 0)
		(void)close(fd);
	replace_abandon(&output->replace);
	return replace_error(reterr, ret, output->path);
}

int output_open(struct output *output, const struct profile *profile, const char *path,
		struct error *reterr)
{
	int ret;

	*output = (struct output){.path = path, .under = stdout, .replace = {.fd = -1}};
	ret = path ? open_file(output, profile, reterr) : 0;
	if (ret < 0)
		return ret;
	output->file = visible_open(output->under);
	if (output->file)
		return 0;
	output->file = output->under;
	return output_close(output, -ENOMEM, reterr);
}

void output_print(struct output *output, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vfprintf(output->file, format, args); /* lint: prints, into the file that is made */
	va_end(args);
}

void output_bytes(struct output *output, const void *bytes, size_t size)
{
	(void)fwrite(bytes, 1, size, output->file);
}

void output_plain(struct output *output, const char *text, const char *bad, char replacement)
{
	while (*text) {
		size_t good = 0;

		while (text[good] && text[good] != '\n' && text[good] != '\r' &&
		       !strchr(bad, text[good]))
			good++;
		output_bytes(output, text, good);
		text += good;
		if (*text) {
			output_bytes(output, &replacement, 1);
			text++;
		}
	}
}

/* Returns 0 or the first error of all that was written. */
static int finish_stream(struct output *output)
{
	int ret = ferror(output->file) ? -EIO : 0;

	if (visible_close(output->file, output->under))
		ret = -EIO;
	errno = 0;
	if (output->path ? fclose(output->under) : fflush(output->under))
		ret = errno ? -errno : -EIO;
	return ret;
}

int output_close(struct output *output, int code, struct error *reterr)
{
	int ret = finish_stream(output);

	if (code < 0) {
		replace_abandon(&output->replace);
		return error_set(reterr, code, "%s: %s: free some memory",
				 output->path ? output->path : "standard output", strerror(-code));
	}
	if (!output->path)
		return ret < 0 ? error_set(reterr, ret,
					   "standard output: %s: see that it can be written",
					   strerror(-ret))
			       : 0;
	if (ret < 0)
		replace_abandon(&output->replace);
	else
		ret = replace_commit(&output->replace);
	return ret < 0 ? replace_error(reterr, ret, output->path) : 0;
}
