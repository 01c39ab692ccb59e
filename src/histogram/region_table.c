// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/region_table.h"

#include "histogram/region_spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_sound(const struct region *region)
{
	unsigned width = region->width;

	if (width != 1 && width != 2 && width != 4 && width != 8)
		return false;
	if ((uintptr_t)region->cells % width)
		return false;
	if (region->full == CELL_ENDS_ALL && width != 2)
		return false;
	return region->rule || region->granule || region->catch_all;
}

static bool are_sound(const struct region *regions, size_t count)
{
	size_t catch_alls = 0;

	for (size_t i = 0; i < count; i++) {
		if (!is_sound(&regions[i]))
			return false;
		catch_alls += regions[i].catch_all;
	}
	return catch_alls <= 1 && count <= UINT32_MAX / 2;
}

/* Each a little more than it needs, for an allocation of nothing may be NULL. */
static int fill(struct region_table *table, const struct region *regions, size_t count)
{
	table->regions = reallocarray(NULL, count + 1, sizeof(*regions));
	table->spans = reallocarray(NULL, region_spans_room(count), sizeof(*table->spans));
	if (!table->regions || !table->spans)
		return -ENOMEM;
	if (count)
		memcpy(table->regions, regions, count * sizeof(*regions));
	table->region_count = count;
	return region_spans_make(regions, count, table->spans, &table->span_count);
}

int region_table_new(const struct region *regions, size_t count, struct region_table **ret_table)
{
	struct region_table *table;
	int ret;

	if (!are_sound(regions, count))
		return -EINVAL;
	table = calloc(1, sizeof(*table));
	if (!table)
		return -ENOMEM;
	ret = fill(table, regions, count);
	if (ret) {
		region_table_free(table);
		return ret;
	}
	*ret_table = table;
	return 0;
}

void region_table_free(struct region_table *table)
{
	if (!table)
		return;
	free(table->regions);
	free(table->spans);
	free(table);
}

const struct region *region_table_regions(const struct region_table *table, size_t *ret_count)
{
	*ret_count = table->region_count;
	return table->regions;
}
