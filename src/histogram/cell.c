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

/* The builtin writes back to what it is given for the old count: a copy of the cell's own width. */
#define SWAP(type)                                                                         \
	__atomic_compare_exchange_n((type *)cells + index, &(type){(type)old}, (type)next, \
				    /* weak= */ true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)

#ifdef __GCC_HAVE_SYNC_COMPARE_AND_SWAP_2

static void add_narrow(void *cells, size_t index, unsigned width, uint32_t ticks)
{
	if (width == 1)
		__atomic_fetch_add((uint8_t *)cells + index, ticks, __ATOMIC_RELAXED);
	else
		__atomic_fetch_add((uint16_t *)cells + index, ticks, __ATOMIC_RELAXED);
}

static bool swap_narrow(void *cells, size_t index, unsigned width, uint64_t old, uint64_t next)
{
	return width == 1 ? SWAP(uint8_t) : SWAP(uint16_t);
}

#else

/* A processor whose atomic steps are of a word at least (RISC-V): the compiler would call a library
 * that locks.  A narrow cell changes within its aligned word, which lies in the same page; every
 * processor supported is little-endian. */
typedef uint32_t __attribute__((may_alias)) word;

static bool swap_narrow(void *cells, size_t index, unsigned width, uint64_t old, uint64_t next)
{
	uintptr_t address = (uintptr_t)cells + index * width;
	word *place = (word *)(address & ~(uintptr_t)3);
	unsigned shift = address % 4 * 8;
	uint32_t mask = (uint32_t)cell_max(width) << shift;
	uint32_t before = __atomic_load_n(place, __ATOMIC_RELAXED);
	uint32_t after = (before & ~mask) | ((uint32_t)next << shift & mask);

	if ((before & mask) != ((uint32_t)old << shift & mask))
		return false;
	return __atomic_compare_exchange_n(place, &before, after, /* weak= */ true,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void add_narrow(void *cells, size_t index, unsigned width, uint32_t ticks)
{
	uint64_t old;

	do
		old = cell_load(cells, index, width);
	while (!swap_narrow(cells, index, width, old, old + ticks));
}

#endif

void cell_add(void *cells, size_t index, unsigned width, uint32_t ticks)
{
	switch (width) {
	case 4:
		__atomic_fetch_add((uint32_t *)cells + index, ticks, __ATOMIC_RELAXED);
		break;
	case 8:
		__atomic_fetch_add((aligned_uint64 *)cells + index, ticks, __ATOMIC_RELAXED);
		break;
	default:
		add_narrow(cells, index, width, ticks);
	}
}

bool cell_swap(void *cells, size_t index, unsigned width, uint64_t old, uint64_t next)
{
	switch (width) {
	case 4:
		return SWAP(uint32_t);
	case 8:
		return SWAP(aligned_uint64);
	default:
		return swap_narrow(cells, index, width, old, next);
	}
}
