// SPDX-License-Identifier: BSD-2-Clause
#include "dos/dosbox_counts.h"

#include "base/maps_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* struct count_mark of dos/profil/count.h: this text, then words. */
#define MARK "PROFIL counting:"
#define MARK_TEXT 16
#define MARK_SIZE (MARK_TEXT + 10)

#define PARAGRAPH 16
#define HEADER_SIZE 18
#define STEP (1 << 20) /* bytes looked through at once */

/* DOSBox's machines have 63 MiB at most; a mapping that is far larger is something else's, and
 * would take long to look through. */
#define MAPPING_MOST (1u << 30)

/* The first bytes of a program's PSP are an INT 20h. */
static const uint8_t psp_start[] = {0xcd, 0x20};

static unsigned word(const uint8_t *at)
{
	return at[0] | (unsigned)at[1] << 8;
}

/* A mapping of the process: the machine's memory is all in one. */
struct memory {
	int fd;
	uint64_t start, limit;
};

static int read_at(const struct memory *memory, uint64_t at, void *buffer, size_t size)
{
	ssize_t got;

	if (at < memory->start || at > memory->limit || size > memory->limit - at)
		return -EFAULT;
	got = pread(memory->fd, buffer, size, (off_t)at);
	return got == (ssize_t)size ? 0 : got < 0 ? -errno : -EFAULT;
}

/* The .PRF of the mark that the process has at AT.  -ENOENT: it is a copy, or nothing is counted.
 */
static int take(const struct memory *memory, uint64_t at, const uint8_t *mark, char **ret_prf,
		size_t *ret_size)
{
	unsigned self = word(mark + MARK_TEXT), segment = word(mark + MARK_TEXT + 2),
		 header = word(mark + MARK_TEXT + 4), buckets = word(mark + MARK_TEXT + 6),
		 counting = word(mark + MARK_TEXT + 8);
	uint64_t psp = at - self, machine = psp - (uint64_t)segment * PARAGRAPH;
	uint8_t start[sizeof(psp_start)], head[HEADER_SIZE];
	size_t size;
	char *prf;
	int ret;

	if (counting != 1 || read_at(memory, psp, start, sizeof(start)) ||
	    memcmp(start, psp_start, sizeof(start)) ||
	    read_at(memory, psp + header, head, sizeof(head)))
		return -ENOENT;
	size = (size_t)word(head + 2) * 2; /* bucket_num */
	prf = malloc(HEADER_SIZE + size);
	if (!prf)
		return -ENOMEM;
	memcpy(prf, head, HEADER_SIZE);
	ret = read_at(memory, machine + (uint64_t)buckets * PARAGRAPH, prf + HEADER_SIZE, size);
	if (ret) {
		free(prf);
		return ret;
	}
	*ret_prf = prf;
	*ret_size = HEADER_SIZE + size;
	return 0;
}

/* Marks in SIZE bytes of BUFFER, which stand at AT. */
static int look_in(const struct memory *memory, const uint8_t *buffer, size_t size, uint64_t at,
		   char **ret_prf, size_t *ret_size)
{
	const uint8_t *from = buffer, *found;
	int ret = -ENOENT;

	while (ret == -ENOENT &&
	       (found = memmem(from, size - (size_t)(from - buffer), MARK, MARK_TEXT))) {
		if (size - (size_t)(found - buffer) < MARK_SIZE)
			break;
		ret = take(memory, at + (uint64_t)(found - buffer), found, ret_prf, ret_size);
		from = found + 1;
	}
	return ret;
}

/* Steps overlap, so that a mark across two is seen whole in one. */
static int look_through(const struct memory *memory, uint8_t *buffer, char **ret_prf,
			size_t *ret_size)
{
	int ret = -ENOENT;

	for (uint64_t at = memory->start; ret == -ENOENT && at + MARK_SIZE <= memory->limit;
	     at += STEP - MARK_SIZE) {
		size_t size = memory->limit - at < STEP ? (size_t)(memory->limit - at) : STEP;

		if (read_at(memory, at, buffer, size))
			break;
		ret = look_in(memory, buffer, size, at, ret_prf, ret_size);
	}
	return ret;
}

/* The machine's memory is of no file. */
static int look(int fd, FILE *maps, uint8_t *buffer, char **ret_prf, size_t *ret_size)
{
	char *line = NULL;
	size_t room = 0;
	int ret = -ENOENT;

	while (ret == -ENOENT && getline(&line, &room, maps) > 0) {
		struct maps_line parsed;
		struct memory memory;

		line[strcspn(line, "\n")] = '\0';
		if (!maps_line_parse(line, &parsed) || strncmp(parsed.rights, "rw", 2) != 0 ||
		    parsed.inode || parsed.end - parsed.start > MAPPING_MOST)
			continue;
		memory = (struct memory){.fd = fd, .start = parsed.start, .limit = parsed.end};
		ret = look_through(&memory, buffer, ret_prf, ret_size);
	}
	free(line);
	return ret;
}

int dosbox_counts(pid_t pid, char **ret_prf, size_t *ret_size)
{
	char path[64];
	uint8_t *buffer = malloc(STEP);
	FILE *maps;
	int memory, ret = -ENOMEM;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	(void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	if (!maps || memory < 0)
		ret = -errno;
	else if (buffer)
		ret = look(memory, maps, buffer, ret_prf, ret_size);
	if (memory >= 0)
		close(memory);
	if (maps)
		(void)fclose(maps);
	free(buffer);
	return ret;
}
