/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#pragma once

/* Adding one to a cell, against other processors and the program's own writes. */

/* Each failed try is somebody else's success; 64 of them in a row are not to be waited for. */
#define CELL_TRIES 64

enum cell_result {
	CELL_COUNTED,
	CELL_IS_FULL,
	CELL_LOST,
	CELL_IS_GONE, /* the program's page of it is */
};

/* BPF has no atomic steps below 32 bits: a narrow cell changes within its aligned word.  Every
 * processor supported is little-endian. */
static __always_inline enum cell_result cell_add_narrow(const struct count_region *region,
							struct count_page *page, __u32 at)
{
	__u32 *word = (__u32 *)&page->bytes[at & (COUNT_PAGE - 4)];
	__u32 shift = at % 4 * 8, mask = ~0u >> (32 - region->width * 8);

	for (int try = 0; try < CELL_TRIES; try++) {
		__u32 old = *(volatile __u32 *)word, count = old >> shift & mask;
		__u32 rest = old & ~(mask << shift), next = (count + 1) & mask;

		if (count >= region->limit && !region->wraps)
			return CELL_IS_FULL;
		if (__sync_val_compare_and_swap(word, old, rest | next << shift) == old)
			return CELL_COUNTED;
	}
	return CELL_LOST;
}

static __always_inline enum cell_result cell_add_wide(const struct count_region *region,
						      struct count_page *page, __u32 at)
{
	__u64 *cell = (__u64 *)&page->bytes[at & (COUNT_PAGE - 8)];

	for (int try = 0; try < CELL_TRIES; try++) {
		__u64 old = *(volatile __u64 *)cell;

		if (old == region->limit && !region->wraps)
			return CELL_IS_FULL;
		if (__sync_val_compare_and_swap(cell, old, old + 1) == old)
			return CELL_COUNTED;
	}
	return CELL_LOST;
}

/* A cell is aligned to its width, so it lies in one page. */
static __always_inline enum cell_result cell_add(const struct count_region *region,
						 struct count_page *page, __u32 at)
{
	if (region->width == 8)
		return cell_add_wide(region, page, at);
	return cell_add_narrow(region, page, at);
}
