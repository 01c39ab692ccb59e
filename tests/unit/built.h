/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_TESTS_UNIT_BUILT_H
#define PROFIL_TESTS_UNIT_BUILT_H

/* Profiles out of histograms, some of this program's own file; include it behind cmocka.h. */

#include "profile/profile.h"

#include <sys/stat.h>
#include <unistd.h>

#define NO_TASK HISTOGRAM_NO_TASK

static inline struct histogram_file file_at(const char *path)
{
	struct stat now;

	assert_int_equal(stat(path, &now), 0);
	return (struct histogram_file){
		.path = (char *)path,
		.identity =
			{
				.device = now.st_dev,
				.inode = now.st_ino,
				.mtime_ns = (int64_t)now.st_mtim.tv_sec * 1000000000 +
					    now.st_mtim.tv_nsec,
			},
	};
}

/* Where this program stands; to be called once. */
static inline const char *own_path(void)
{
	static char path[256];

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	return path;
}

/* What becomes of HISTOGRAM. */
static inline struct profile *built(const struct histogram *histogram)
{
	struct profile *profile;

	assert_int_equal(profile_from_histogram(histogram, &profile), 0);
	return profile;
}

#endif
