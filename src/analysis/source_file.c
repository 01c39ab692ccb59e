// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/source_file.h"

#include "base/array.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE_LIMIT (64 << 20)
#define TAB 8

/* A path out of debug information may name anything: what is no regular file is not opened twice,
 * and to open it does not wait. */
static FILE *open_text(const char *path, struct source_file *source)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	FILE *file;

	source->state = fd < 0 && (errno == ENOENT || errno == ENOTDIR) ? SOURCE_MISSING
									: SOURCE_UNREADABLE;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_size > SIZE_LIMIT) {
		close(fd);
		return NULL;
	}
	source->mtime_ns = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
	file = fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}

/* Copy FILE to OUT with its tabs widened, its lines ended by NUL, and no carriage returns. */
static void copy(FILE *file, FILE *out)
{
	unsigned column = 0;
	int c;

	while ((c = getc_unlocked(file)) != EOF) {
		if (c == '\n' || c == '\0') {
			(void)putc_unlocked(c == '\n' ? '\0' : '?', out);
			column = c == '\n' ? 0 : column + 1;
		} else if (c == '\t') {
			do
				(void)putc_unlocked(' ', out);
			while (++column % TAB);
		} else if (c != '\r') {
			(void)putc_unlocked(c, out);
			column += (c & 0xc0) != 0x80;
		}
	}
}

static int index_lines(struct source_file *source, size_t size)
{
	size_t capacity = 0;

	for (const char *line = source->text; line < source->text + size;
	     line += strlen(line) + 1) {
		if (ARRAY_RESERVE(source->lines, capacity, (size_t)source->line_count + 1))
			return -ENOMEM;
		source->lines[source->line_count++] = line;
	}
	return 0;
}

int source_file_read(const char *path, struct source_file *ret_source)
{
	size_t size = 0;
	FILE *file, *out;
	int ret;

	*ret_source = (struct source_file){0};
	file = open_text(path, ret_source);
	if (!file)
		return 0;
	out = open_memstream(&ret_source->text, &size);
	if (out)
		copy(file, out);
	ret = out && fclose(out) == 0 && ret_source->text ? 0 : -ENOMEM;
	if (!ferror(file) && !ret) {
		ret_source->state = SOURCE_READ;
		ret = index_lines(ret_source, size);
	}
	(void)fclose(file);
	if (ret)
		source_file_done(ret_source);
	return ret;
}

void source_file_done(struct source_file *source)
{
	free(source->text);
	free(source->lines);
	*source = (struct source_file){0};
}

const char *source_file_line(const struct source_file *source, uint32_t number)
{
	return number && number <= source->line_count ? source->lines[number - 1] : NULL;
}
