// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/kernel_object/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static bool is_plain_name(const char *name)
{
	return !*name || starts_with(name, "[heap]") || starts_with(name, "[anon:");
}

/* "START-END rwxp OFFSET MAJOR:MINOR INODE    NAME", where NAME may be none. */
static bool parse(const char *line, struct mapping *ret_mapping)
{
	struct mapping mapping = {};
	uint64_t inode;
	char allowed[5];
	int name = 0;

	if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %*x:%*x %" SCNu64 " %n",
		   &mapping.start, &mapping.end, allowed, &mapping.offset, &inode, &name) != 5)
		return false;
	mapping.protection = (allowed[0] == 'r' ? PROT_READ : 0) |
			     (allowed[1] == 'w' ? PROT_WRITE : 0) |
			     (allowed[2] == 'x' ? PROT_EXEC : 0);
	mapping.plain = allowed[3] == 'p' && !inode && is_plain_name(line + name);
	mapping.lent = allowed[3] == 's' && starts_with(line + name, "anon_inode:bpf-map");
	*ret_mapping = mapping;
	return true;
}

int maps_walk(int (*take)(void *context, const struct mapping *mapping), void *context)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct mapping mapping;
	size_t room = 0;
	char *line = NULL;
	int r = 0;

	if (!maps)
		return -errno;
	while (!r && getline(&line, &room, maps) > 0)
		if (parse(line, &mapping))
			r = take(context, &mapping);
	if (!r && ferror(maps))
		r = -EIO;
	free(line);
	fclose(maps);
	return r;
}
