/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/histogram.h"

#include <stddef.h>
#include <stdint.h>

/* The objects that are loaded in this process: which file an address is of, and where in it. */

struct object_segment {
	uintptr_t start, end; /* of executable memory, whole pages */
	uint64_t offset;      /* in the file, of start */
	uint32_t file;	      /* index in the histogram's files, or OBJECT_VDSO */
};

#define OBJECT_VDSO UINT32_MAX

struct objects {
	struct object_segment *segments; /* in rising order */
	size_t count, capacity;
};

/* Those loaded now; each one's file becomes one of HISTOGRAM's.  Returns 0 or -ENOMEM; RET_OBJECTS
 * is to be freed in both cases. */
int objects_read(struct histogram *histogram, struct objects *ret_objects);
void objects_done(struct objects *objects);

/* The segment that ADDRESS is in, or NULL. */
const struct object_segment *objects_find(const struct objects *objects, uintptr_t address);
