// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/cell.h"

/* On i386 a 64-bit integer would be aligned to 4, and its atomic step a call. */
typedef uint64_t aligned_uint64 __attribute__((aligned(8)));

uint64_t cell_max(unsigned width)
{
	return UINT64_MAX >> (64 - 8 * width);
}

uint64_t cell_load(const void *cells, size_t index, unsigned width)
{
	switch (width) {
	case 1:
		return __atomic_load_n((const uint8_t *)cells + index, __ATOMIC_RELAXED);
	case 2:
		return __atomic_load_n((const uint16_t *)cells + index, __ATOMIC_RELAXED);
	case 4:
		return __atomic_load_n((const uint32_t *)cells + index, __ATOMIC_RELAXED);
	default:
		return __atomic_load_n((const aligned_uint64 *)cells + index, __ATOMIC_RELAXED);
	}
}

void cell_add(void *cells, size_t index, unsigned width, uint32_t ticks)
{
	switch (width) {
	case 1:
		__atomic_fetch_add((uint8_t *)cells + index, ticks, __ATOMIC_RELAXED);
		break;
	case 2:
		__atomic_fetch_add((uint16_t *)cells + index, ticks, __ATOMIC_RELAXED);
		break;
	case 4:
		__atomic_fetch_add((uint32_t *)cells + index, ticks, __ATOMIC_RELAXED);
		break;
	default:
		__atomic_fetch_add((aligned_uint64 *)cells + index, ticks, __ATOMIC_RELAXED);
	}
}

/* The builtin writes back to what it is given for the old count: a copy of the cell's own width. */
#define SWAP(type)                                                                         \
	__atomic_compare_exchange_n((type *)cells + index, &(type){(type)old}, (type)next, \
				    /* weak: */ true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)

bool cell_swap(void *cells, size_t index, unsigned width, uint64_t old, uint64_t next)
{
	switch (width) {
	case 1:
		return SWAP(uint8_t);
	case 2:
		return SWAP(uint16_t);
	case 4:
		return SWAP(uint32_t);
	default:
		return SWAP(aligned_uint64);
	}
}
