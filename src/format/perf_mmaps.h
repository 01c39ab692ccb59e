/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "base/strings.h"
#include "format/perf_line.h"

#include <stdint.h>

/* What was mapped where, as `perf script --show-mmap-events` tells it among the samples:
 *   "comm pid seconds: PERF_RECORD_MMAP2 pid/tid: [0xstart(0xsize) @ 0xoffset dev inode n]: r-xp
 * path" perf prints the address of a sample without a stack as it was in the process, and those of
 * a stack as offsets in their files.  Only with these lines is the one the other. */

struct perf_mmap {
	uint32_t object; /* number of its path */
	uint32_t pid;
	uint64_t start, size, offset;
};

/* Zeroed it is empty. */
struct perf_mmaps {
	struct strings *paths;
	struct perf_mmap *items; /* by object, then by start */
	size_t count, capacity;
	uint64_t largest; /* of their sizes */
};

enum perf_address {
	PERF_IN_FILE,	 /* an offset in the file, or the file's own address */
	PERF_IN_PROCESS, /* an address of the process, of which nothing tells what was there */
};

/* Take all such lines of TEXT.  Returns 0 or -ENOMEM; in both cases perf_mmaps_done() frees it. */
int perf_mmaps_read(struct perf_mmaps *mmaps, struct perf_text text);
void perf_mmaps_done(struct perf_mmaps *mmaps);

/* What *ADDRESS of a sample of process or thread PID in the file OBJECT is; where it is known to be
 * an address of the process and what was mapped there is known too, it becomes the offset. */
enum perf_address perf_mmaps_place(const struct perf_mmaps *mmaps, struct perf_text object,
				   uint32_t pid, uint64_t *address);
