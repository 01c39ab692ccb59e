// SPDX-License-Identifier: BSD-2-Clause
#include "format/output.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

int output_open(struct output *output, const struct profile *profile, const char *path,
		struct error *reterr)
{
	int r, fd;

	*output = (struct output){.path = path, .file = stdout, .replace = {.fd = -1}};
	if (!path)
		return 0;
	r = replace_open(&output->replace, path, profile_privacy(profile), reterr);
	if (r < 0)
		return r;
	/* A descriptor of its own, for the other is closed by replace_commit(). */
	fd = dup(output->replace.fd);
	output->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (output->file)
		return 0;
	r = -errno;
	if (fd >= 0)
		(void)close(fd);
	replace_abandon(&output->replace);
	return replace_error(reterr, r, path);
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
	int r = ferror(output->file) ? -EIO : 0;

	errno = 0;
	if (output->path ? fclose(output->file) : fflush(output->file))
		r = errno ? -errno : -EIO;
	return r;
}

int output_close(struct output *output, int code, struct error *reterr)
{
	int r = finish_stream(output);

	if (code < 0) {
		replace_abandon(&output->replace);
		return error_set(reterr, code, "%s: %s: free some memory",
				 output->path ? output->path : "standard output", strerror(-code));
	}
	if (!output->path)
		return r < 0 ? error_set(reterr, r,
					 "standard output: %s: see that it can be written",
					 strerror(-r))
			     : 0;
	if (r < 0)
		replace_abandon(&output->replace);
	else
		r = replace_commit(&output->replace);
	return r < 0 ? replace_error(reterr, r, output->path) : 0;
}
