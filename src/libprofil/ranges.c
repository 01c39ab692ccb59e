// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/ranges.h"

#include "base/array.h"
#include "libprofil/address.h"
#include "libprofil/export.h"
#include "libprofil/legacy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	const struct dialect *dialect;
	struct region *regions;
	size_t count, capacity;
	uintptr_t high;	     /* of the range before */
	uintptr_t from, end; /* what all buffers lie in */
};

/* Bytes of buffer for a byte of text, 16.16; a fraction of 16 bits at most is what these have. */
static uint64_t scale_of(const struct range *range, uintptr_t length)
{
	uint64_t scale = ((uint64_t)range->size << 16) / length;

	if (range->scale != UINT32_MAX)
		return range->scale;
	return scale < UINT16_MAX ? scale : UINT16_MAX;
}

static void widen(struct reading *reading, const struct range *range)
{
	uintptr_t from = (uintptr_t)range->buffer, end = from + (size_t)range->size;

	if (!reading->count || from < reading->from)
		reading->from = from;
	if (end > reading->end)
		reading->end = end;
}

static int add(struct reading *reading, const struct range *range)
{
	uintptr_t low = (uintptr_t)range->low, high = (uintptr_t)range->high;
	struct region region;
	int ret;

	if (high <= low || low < reading->high || range->size < 0)
		return -EINVAL;
	reading->high = high;
	ret = dialect_profil(reading->dialect, range->buffer, (size_t)range->size, low,
			     scale_of(range, high - low), &region);
	if (ret <= 0)
		return ret;
	if (!legacy_is_legal(&region))
		return -EFAULT;
	widen(reading, range);
	region.end = high;
	if (ARRAY_RESERVE(reading->regions, reading->capacity, reading->count + 1))
		return -ENOMEM;
	reading->regions[reading->count++] = region;
	return 0;
}

/* Nobody says how long the array is, so each one is asked for before it is read. */
static int read_all(struct reading *reading, const struct range *ranges)
{
	struct range range;
	int ret = 0;

	for (; !ret; ranges++) {
		if (!address_is_readable(ranges, sizeof(*ranges)))
			return -EFAULT;
		memcpy(&range, ranges, sizeof(range));
		if (!range.high)
			break;
		ret = add(reading, &range);
	}
	/* "Must point into a single contiguous buffer space": so what lies between them is the
	 * program's to write, too. */
	if (!ret && !address_is_writable((void *)reading->from, reading->end - reading->from))
		ret = -EFAULT;
	return ret;
}

int ranges_profil(const struct dialect *dialect, const struct range *ranges)
{
	struct reading reading = {.dialect = dialect};
	int ret = read_all(&reading, ranges);

	if (!ret)
		ret = legacy_regions(dialect, reading.regions, reading.count);
	else if (ret == -EFAULT)
		(void)legacy_regions(dialect, NULL, 0);
	free(reading.regions);
	return with_errno(ret);
}
