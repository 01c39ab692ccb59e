// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/sort.h"

#include <stdbool.h>
#include <string.h>

struct sorting {
	size_t count, size;
	int (*compare)(const void *left, const void *right);
};

/* Two runs of up to WIDTH elements from FIRST on become one in TO. */
static void merge(const struct sorting *sorting, const char *from, char *to, size_t first,
		  size_t width)
{
	size_t count = sorting->count, size = sorting->size;
	size_t middle = count - first < width ? count : first + width;
	size_t end = count - middle < width ? count : middle + width;
	size_t left = first, right = middle;

	for (size_t i = first; i < end; i++) {
		bool is_left = left < middle &&
			       (right == end ||
				sorting->compare(from + left * size, from + right * size) <= 0);

		memcpy(to + i * size, from + (is_left ? left++ : right++) * size, size);
	}
}

void sort(void *items, void *spare, size_t count, size_t size,
	  int (*compare)(const void *left, const void *right))
{
	struct sorting sorting = {.count = count, .size = size, .compare = compare};
	char *from = items, *to = spare;

	for (size_t width = 1; width < count; width *= 2) {
		char *swapped = from;

		for (size_t first = 0; first < count; first += 2 * width)
			merge(&sorting, from, to, first, width);
		from = to;
		to = swapped;
	}
	if (from != items)
		memcpy(items, from, count * size);
}
