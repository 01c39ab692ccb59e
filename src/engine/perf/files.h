/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The files that were mapped to be executed, each once. */

struct perf_files {
	struct histogram_file *files; /* heap, with their paths */
	size_t count, capacity;
};

/* What a mapping says of its file. */
struct perf_mapped {
	uint64_t device, inode; /* as the kernel's maps have them */
	uint32_t generation;	/* 0: not known */
	const char *path;	/* as process PID sees it */
	pid_t pid;
	uint64_t time_ns; /* when it was mapped, CLOCK_MONOTONIC */
};

/* The index of the file MAPPED.  Its modification time, which the kernel does not tell, is that of
 * what stands at its path now; of a file that was changed or went away since, it is not known (0),
 * and agrees with no file.  Returns 0 or -ENOMEM. */
int perf_files_find(struct perf_files *files, const struct perf_mapped *mapped,
		    uint32_t *ret_index);

/* Whether FD is FILE as it was when it was mapped; of one whose modification time is not known,
 * nobody can say. */
bool perf_file_is(const struct histogram_file *file, int fd);

/* Append all to HISTOGRAM, which has none yet: indices stay.  Returns 0 or -ENOMEM. */
int perf_files_read(const struct perf_files *files, struct histogram *histogram);

void perf_files_done(struct perf_files *files);
