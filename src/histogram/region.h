/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/scale.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text ranges with their cells: what profil(2)'s arguments and struct prof describe. */

enum cell_full {
	CELL_WRAPS,	/* 65535, then 0 */
	CELL_SATURATES, /* 65535, then 65535 */
	CELL_ENDS_ALL,	/* SVR4: 32767, then profiling is off (for a width of 2 only) */
};

struct region {
	uintptr_t offset; /* of the text */
	uintptr_t end; /* of the text, exclusive, where its cells go on beyond; 0: where they end */
	void *cells;   /* the caller's; aligned to WIDTH */
	size_t count;  /* cells, not bytes */
	uint32_t scale;
	uint64_t granule; /* text bytes a cell; 0: by scale and rule */
	uint8_t width;	  /* of a cell: 1, 2, 4 or 8 bytes */
	enum cell_full full;
	bool catch_all;		       /* overflow bin: cell 0 takes what no other region holds */
	const struct scale_rule *rule; /* the caller's; not used by a granule or catch_all */
};

/* The first address behind those that REGION holds, which begin at its offset; UINTPTR_MAX: without
 * end.  Not for a catch_all. */
uintptr_t region_end(const struct region *region);

/* Regions made ready for ticks: disjoint spans in rising order.  Where regions overlap, the one
 * with the largest offset has the address, the first of equals; a region holds the addresses from
 * its offset up to its end or where its cells end.  A catch_all has all the spans between the
 * others', so that there is no gap.  Never changed once made, so it needs no lock. */
struct region_table;

struct region_span {
	uintptr_t start, end; /* end exclusive; UINTPTR_MAX: without end */
	uint32_t region;      /* index in the regions given, or REGION_NONE */
};

#define REGION_NONE UINT32_MAX

/* Copies REGIONS (at most one is a catch_all; one of no cells holds nothing); the cells and rules
 * stay the caller's and must outlive the table.  Returns 0, -ENOMEM, or -EINVAL (width, alignment,
 * CELL_ENDS_ALL with another width than 2, neither rule nor granule, two catch-alls). */
int region_table_new(const struct region *regions, size_t count, struct region_table **ret_table);
void region_table_free(struct region_table *table); /* takes NULL */

const struct region *region_table_regions(const struct region_table *table, size_t *ret_count);

enum region_result {
	REGION_COUNTED,
	REGION_NOBODYS,	 /* no region holds the address */
	REGION_IS_FULL,	 /* its cell is saturated; TICKS or part of it is not in any cell */
	REGION_ENDS_ALL, /* its cell would pass its limit: nothing is written */
};

/* Where PC falls: the region and its cell, below its count.  False: nobody's.
 * Signal-safe: yes.  Thread-safe: yes. */
bool region_find(const struct region_table *table, uintptr_t pc, uint32_t *ret_region,
		 size_t *ret_cell);

/* Add TICKS to cell CELL of REGION: one atomic step whatever the width, never torn, never lost
 * among threads, processes that share the cells, or a signal in the middle.
 * Signal-safe: yes.  Thread-safe: yes. */
enum region_result region_add(const struct region *region, size_t cell, uint32_t ticks);
