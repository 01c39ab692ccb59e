/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Readers that take a path. */

static char folder[64];
static char file[128];

static void remove_all(void)
{
	(void)unlink(file);
	(void)rmdir(folder);
}

/* In memory where that can be: a disk takes longer for a file than a reader does. */
const char *fuzz_folder(void)
{
	static const char *const places[] = {"/dev/shm", "/tmp"};

	for (size_t i = 0; !*folder && i < 2; i++) {
		(void)snprintf(folder, sizeof(folder), "%s/profil-fuzz-XXXXXX", places[i]);
		if (!mkdtemp(folder))
			*folder = '\0';
		else if (atexit(remove_all))
			abort();
	}
	if (!*folder)
		abort();
	return folder;
}

const char *fuzz_file(const char *name, const uint8_t *bytes, size_t size)
{
	int fd;

	(void)unlink(file);
	(void)snprintf(file, sizeof(file), "%s/%s", fuzz_folder(), name);
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		abort();
	while (size) {
		ssize_t done = write(fd, bytes, size);

		if (done <= 0)
			abort();
		bytes += done;
		size -= (size_t)done;
	}
	(void)close(fd);
	return file;
}
