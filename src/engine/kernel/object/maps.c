// SPDX-License-Identifier: BSD-2-Clause
#include "engine/kernel/object/maps.h"

#include "base/maps_line.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static bool is_plain_name(const char *name)
{
	return !*name || starts_with(name, "[heap]") || starts_with(name, "[anon:");
}

static bool parse(const char *line, struct mapping *ret_mapping)
{
	struct maps_line parsed;

	if (!maps_line_parse(line, &parsed))
		return false;
	*ret_mapping = (struct mapping){
		.start = parsed.start,
		.end = parsed.end,
		.offset = parsed.offset,
		.protection = (parsed.rights[0] == 'r' ? PROT_READ : 0) |
			      (parsed.rights[1] == 'w' ? PROT_WRITE : 0) |
			      (parsed.rights[2] == 'x' ? PROT_EXEC : 0),
		.plain = parsed.rights[3] == 'p' && !parsed.inode && is_plain_name(parsed.path),
		.lent = parsed.rights[3] == 's' && starts_with(parsed.path, "anon_inode:bpf-map"),
	};
	return true;
}

/* Lines of the file, without an allocator: in the child of a fork it may be locked for good. */
struct lines {
	int fd;
	int result; /* 0, or -errno */
	size_t start, end;
	bool is_cut; /* the last one was: what comes up to the next newline is its rest */
	char text[4096];
};

/* Up to a newline, or as much of it as there is room for; NULL: the end. */
static char *next_line(struct lines *lines)
{
	for (;;) {
		char *line = lines->text + lines->start;
		char *newline = memchr(line, '\n', lines->end - lines->start);
		bool was_cut = lines->is_cut;
		ssize_t bytes;

		if (newline || lines->end - lines->start == sizeof(lines->text) - 1) {
			char *end = newline ? newline : lines->text + lines->end;

			*end = '\0';
			lines->is_cut = !newline;
			lines->start = newline ? (size_t)(end + 1 - lines->text) : lines->end;
			if (!was_cut)
				return line;
			continue;
		}
		memmove(lines->text, line, lines->end - lines->start);
		lines->end -= lines->start;
		lines->start = 0;
		bytes = read(lines->fd, lines->text + lines->end,
			     sizeof(lines->text) - 1 - lines->end);
		if (bytes < 0)
			lines->result = -errno;
		if (bytes <= 0)
			return NULL;
		lines->end += (size_t)bytes;
	}
}

int maps_walk(int (*take)(void *context, const struct mapping *mapping), void *context)
{
	struct lines lines = {.fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC)};
	struct mapping mapping;
	const char *line;
	int ret = 0;

	if (lines.fd < 0)
		return -errno;
	while (!ret && (line = next_line(&lines)))
		if (parse(line, &mapping))
			ret = take(context, &mapping);
	close(lines.fd);
	return ret ? ret : lines.result;
}
