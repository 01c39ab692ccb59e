/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "histogram/scale.h"

#include <stdbool.h>
#include <stdint.h>

/* What the counting program and its loader share.  Elements of BPF arrays stand 8 bytes apart, so
 * the size of each structure is a multiple of that. */

#define COUNT_PAGE 4096 /* the area is addressed in these, whatever the machine's page is */

struct count_page {
	uint8_t bytes[COUNT_PAGE];
};

/* A span ends where the next one starts, or where its region has no more cells. */
struct count_span {
	uint64_t start;
	uint64_t region; /* or COUNT_NOBODYS */
};

#define COUNT_NOBODYS UINT64_MAX

/* struct region, its cells by their place in the area. */
struct count_region {
	uint64_t offset;
	uint64_t granule; /* 0: by scale and rule */
	uint64_t count;
	uint64_t place; /* bytes from the start of the area */
	uint64_t limit; /* the largest count */
	uint32_t scale;
	uint8_t width;
	bool wraps;    /* beyond the limit; else */
	bool ends_all; /* at it; else the cell stays */
	bool catch_all;
	struct scale_rule rule;
	uint8_t unused[5];
};

/* One per page of the area: how many ticks have begun to count there, and how many have counted.
 * While they are equal no cell of the page changes.  One that finds its cell full takes its
 * beginning back. */
struct count_tally {
	uint64_t begun, counted;
	uint64_t address;  /* where the program has the page */
	uint64_t found_at; /* the state of its memory map when the page was last found there; 0: it
			    * has not been looked for */
};

/* Where the kernel that runs has what is looked at, in bytes from the start of the structure: the
 * program is told, for libbpf would read all types of the kernel at every load to find out. */
struct count_offsets {
	uint32_t task_map;	 /* task_struct.mm */
	uint32_t map_tree;	 /* mm_struct.mm_mt.ma_root, or COUNT_NOWHERE: before Linux 6.1 */
	uint32_t map_generation; /* its mm_lock_seq, or COUNT_NOWHERE: before 6.4; the rest all have
				  */
	uint32_t map_count;	 /* mappings */
	uint32_t map_executable; /* pages: exec_vm */
	uint32_t map_total;	 /* pages: total_vm */
	uint32_t mapping_map;	 /* vm_area_struct.vm_mm */
	uint32_t mapping_start;
	uint32_t mapping_end;
	uint32_t mapping_flags;
	uint32_t mapping_page;	  /* vm_pgoff */
	uint32_t mapping_private; /* vm_private_data */
};

#define COUNT_NOWHERE UINT32_MAX

/* One per CPU, so that no step on it need be atomic, on a line of its own. */
struct count_counters {
	uint64_t outside, saturated, lost;
	uint64_t unused[5];
};
