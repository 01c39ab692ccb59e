/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>
#include <stdlib.h>

/* Make room for NEED elements of SIZE bytes in the heap array *ITEMS, which now has room for
 * *CAPACITY of them.  Grows by doubling; new room is zeroed; pointers into the array are invalid
 * afterwards.  *ITEMS stays the caller's, freed with free().
 * Returns 0 or -ENOMEM (nothing changed).  Signal-safe: no.  Thread-safe: on distinct arrays. */
int array_reserve(void **items, size_t *capacity, size_t need, size_t size);

/* The same for a typed array: ARRAY_RESERVE(profile->cells, profile->cell_capacity, count + 1). */
#define ARRAY_RESERVE(items, capacity, need) \
	array_reserve((void **)&(items), &(capacity), (need), sizeof(*(items)))

/* qsort(3) and qsort_r(3) of COUNT elements of a typed array, which may be NULL where it has none:
 * those two may not be given that. */
#define ARRAY_SORT(items, count, compare) \
	((count) ? qsort((items), (count), sizeof(*(items)), (compare)) : (void)0)
#define ARRAY_SORT_BY(items, count, compare, context) \
	((count) ? qsort_r((items), (count), sizeof(*(items)), (compare), (context)) : (void)0)

/* Where, in what is sorted so that CONDITION of the index I holds first and then no more, it holds
 * no more: an index below COUNT, or COUNT.  Signal-safe: yes. */
#define ARRAY_FIRST_NOT(i, count, condition)                  \
	({                                                    \
		size_t low_ = 0, high_ = (count);             \
                                                              \
		while (low_ < high_) {                        \
			size_t i = low_ + (high_ - low_) / 2; \
                                                              \
			if (condition)                        \
				low_ = i + 1;                 \
			else                                  \
				high_ = i;                    \
		}                                             \
		low_;                                         \
	})

/* In a comparison for qsort(3): A and B decide, the lesser first, unless they are equal. */
#define ARRAY_COMPARE(a, b)                        \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))
