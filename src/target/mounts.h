/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Other mount namespaces, a container's: a path there leads to the same file here behind the root
 * of a process that lives in it. */

#define MOUNTS_ROOT_MAX 32 /* of "/proc/PID/root", with the NUL */

struct mounts_known {
	uint64_t mounts;
	char root[MOUNTS_ROOT_MAX]; /* "": no process of it is there */
};

/* What was found out so far; zeroed it is empty. */
struct mounts {
	struct mounts_known *known; /* heap */
	size_t count, capacity;
};

/* Whether MOUNTS, the inode number of a mount namespace, is another one than profil's. */
bool mounts_elsewhere(uint64_t mounts);

/* What stands before a path of namespace MOUNTS here; PID is a process that was in it, and need not
 * be there any more, 0: none is known.  ROOT becomes "" when no process is left in it, or may be
 * looked at. Returns 0 or -ENOMEM.  Signal-safe: no.  Thread-safe: on distinct structures. */
int mounts_root(struct mounts *mounts, uint64_t number, pid_t pid, char root[MOUNTS_ROOT_MAX]);

void mounts_done(struct mounts *mounts);
