/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_SCRATCH_H
#define PROFIL_TESTS_SCRATCH_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder for one test program's files; include it behind cmocka.h. */

#ifndef SCRATCH_PARENT
#define SCRATCH_PARENT "/tmp"
#endif

static char scratch_folder[] = SCRATCH_PARENT "/profil-test-XXXXXX";

static inline int scratch_make(void **state)
{
	return mkdtemp(scratch_folder) ? 0 : -1;
}

static inline int scratch_remove(void **state)
{
	char command[64];

	(void)snprintf(command, sizeof(command), "rm -r %s", scratch_folder);
	return system(command);
}

/* The path of NAME in the folder: the last eight are valid. */
static inline const char *scratch(const char *name)
{
	static char paths[8][256];
	static unsigned next;
	char *path = paths[next++ % 8];

	(void)snprintf(path, sizeof(paths[0]), "%s/%s", scratch_folder, name);
	return path;
}

static inline void scratch_write(const char *path, const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, size), size);
	assert_int_equal(close(fd), 0);
}

/* All of the file; the caller frees it. */
static inline uint8_t *scratch_read(const char *path, size_t *ret_size)
{
	int fd = open(path, O_RDONLY);
	uint8_t *bytes;
	struct stat now;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &now), 0);
	bytes = malloc((size_t)now.st_size + 1);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, (size_t)now.st_size), now.st_size);
	assert_int_equal(close(fd), 0);
	*ret_size = (size_t)now.st_size;
	return bytes;
}

#endif
