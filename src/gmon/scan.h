/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "gmon/objects.h"

/* An object's cells that hold ticks, from low to high.  Pages of cells that no tick was ever in are
 * no memory yet, and to read one makes it some: of all libraries' that takes a millisecond and more
 * of each program's life.  So the kernel is asked first which are there (/proc/self/pagemap).
 * Signal-safe: yes.  Thread-safe: yes. */
struct scan {
	const struct object *object;
	size_t next;		 /* the cell to look at */
	int pagemap;		 /* -1: what is there is not known, all is read */
	size_t page, page_count; /* of which PAGES knows */
	uint64_t pages[64];
};

void scan_begin(struct scan *scan, const struct object *object);

/* The next one; false: there is none any more. */
bool scan_next(struct scan *scan, size_t *ret_cell, uint64_t *ret_ticks);
void scan_end(struct scan *scan);

/* How many there are. */
size_t scan_count(const struct object *object);
