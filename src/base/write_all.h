/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

/* All SIZE bytes of DATA to FD, however often a signal interrupts it.  Returns 0 or -errno; then
 * some may have been written.  Signal-safe: yes.  Thread-safe: yes. */
static inline int write_all(int fd, const void *data, size_t size)
{
	const char *from = data;

	while (size) {
		ssize_t count = write(fd, from, size);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return count ? -errno : -EIO;
		from += count;
		size -= (size_t)count;
	}
	return 0;
}
