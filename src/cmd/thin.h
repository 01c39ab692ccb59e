/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A series of profiles in a folder, the working directory: one for each interval, called after the
 * moment it began in UTC, "20261128-193000.pb.gz".  What is older is added up exactly, to hours
 * ("20261128-19.pb.gz") and to days ("20261128.pb.gz").  Each sample is in one file, whenever this
 * is killed.  A profile that cannot be read, or not be added to the others, stays as it is, called
 * "20261128-193000-apart.pb.gz". */

struct thin_limits {
	uint64_t keep_ns; /* older ones are deleted */
	uint64_t size;	  /* bytes that all may have: the oldest are added up earlier, or deleted */
};

/* Age is from the newest one's beginning: where nothing is added, nothing gets older.
 * Returns 0, or EXIT_PROFIL after having said why. */
int thin(const struct thin_limits *limits);

/* Delete what one that was killed has begun to write: nobody else writes here now.  The same. */
int thin_clear(void);

/* Write the name of the one that begins at SECOND, since the epoch, into NAME. */
#define THIN_NAME_SIZE 32
void thin_name(int64_t second, char name[THIN_NAME_SIZE]);
