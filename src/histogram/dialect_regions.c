// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/dialect.h"

#include <errno.h>

/* A system's arguments as regions or none, by what its row says. */

static bool is_off(const struct dialect *dialect, const struct dialect_entry *entry)
{
	return (dialect->off & OFF_NULL_BUFFER && !entry->base) ||
	       (dialect->off & OFF_SCALE_0 && entry->scale == 0) ||
	       (dialect->off & OFF_SCALE_1 && entry->scale == 1);
}

static bool is_legal_scale(const struct dialect *dialect, const struct dialect_entry *entry)
{
	return !dialect->scale_max || entry->scale <= dialect->scale_max;
}

/* Whole cells only, so that nothing is written past an odd size.  A scale beyond 32 bits is an
 * absurdity of interfaces that have a long for it: 64 KiB of cells for a byte of text will do. */
static struct region region_of(const struct dialect *dialect, const struct dialect_entry *entry,
			       unsigned width)
{
	return (struct region){
		.offset = entry->offset,
		.cells = entry->base,
		.count = (size_t)(entry->size / width),
		.scale = entry->scale < UINT32_MAX ? (uint32_t)entry->scale : UINT32_MAX,
		.width = (uint8_t)width,
		.rule = &dialect->rule,
	};
}

int dialect_profil(const struct dialect *dialect, void *buffer, size_t bytes, uintptr_t offset,
		   uint64_t scale, struct region *ret_region)
{
	struct dialect_entry entry = {buffer, bytes, offset, scale};
	struct region region;
	size_t count;

	if (dialect->profil_is_sprofil)
		return dialect_sprofil(dialect, &entry, 1, sizeof(uint16_t), ret_region, &count);
	if (dialect->scale_mask)
		entry.scale &= dialect->scale_mask;
	if (is_off(dialect, &entry))
		return 0;
	if (!is_legal_scale(dialect, &entry))
		return -EINVAL;
	region = region_of(dialect, &entry, sizeof(uint16_t));
	region.full = dialect->full;
	if (!region.count && dialect->two_has_no_bound && entry.scale == 2)
		region.count = 1;
	if (!region.count)
		return 0;
	*ret_region = region;
	return 1;
}

int dialect_sprofil_count(const struct dialect *dialect, int count)
{
	if (!dialect->widths)
		return -ENOSYS;
	if (dialect->entries_max && (count < 0 || count > dialect->entries_max))
		return -E2BIG;
	return count > 0;
}

static bool is_overflow(const struct dialect *dialect, const struct dialect_entry *entry)
{
	return dialect->overflow != OVERFLOW_NONE && !entry->offset && entry->scale == 2;
}

/* Whether the page allows a size: HP-UX's is what 46 bits of address come to at that scale. */
static bool is_legal_size(const struct dialect *dialect, const struct dialect_entry *entry,
			  const struct region *region)
{
	if (!dialect->checks_sprofil)
		return true;
	if (!entry->size || entry->size % region->width)
		return false;
	if (region->catch_all)
		return region->count == 1;
	return entry->size <= (uint64_t)region->scale << (46 - 16);
}

/* Whether REGION may come after BEFORE, the one that was listed before it. */
static bool is_legal_order(const struct dialect *dialect, const struct region *before,
			   const struct region *region)
{
	if (dialect->order == ORDER_ASCENDING && region->offset < before->offset)
		return false;
	return !dialect->overlap_is_error || region_end(before) <= region->offset;
}

/* Append ENTRY to the regions if it has cells. */
static int add_entry(const struct dialect *dialect, const struct dialect_entry *entry,
		     unsigned width, bool is_catch_all, struct region *regions, size_t *used)
{
	struct region region = region_of(dialect, entry, width);

	region.catch_all = is_catch_all;
	region.full = is_catch_all ? dialect->overflow_full : dialect->sprofil_full;
	if (!is_legal_scale(dialect, entry) || !is_legal_size(dialect, entry, &region))
		return -EINVAL;
	if (!is_catch_all && *used && !is_legal_order(dialect, &regions[*used - 1], &region))
		return -EINVAL;
	if (region.count)
		regions[(*used)++] = region;
	return 0;
}

int dialect_sprofil(const struct dialect *dialect, const struct dialect_entry *entries, int count,
		    unsigned width, struct region *ret_regions, size_t *ret_count)
{
	bool has_catch_all = false;
	size_t used = 0;
	int ret = dialect_sprofil_count(dialect, count);

	if (ret <= 0)
		return ret;
	if ((width != 2 && width != 4 && width != 8) || !(dialect->widths & width))
		return -EINVAL;
	for (int i = 0; i < count; i++) {
		bool is_catch_all = !has_catch_all && is_overflow(dialect, &entries[i]);

		if (entries[i].scale < 2)
			continue;
		if (is_catch_all && dialect->overflow == OVERFLOW_LAST && i != count - 1)
			return -EINVAL;
		has_catch_all |= is_catch_all;
		ret = add_entry(dialect, &entries[i], width, is_catch_all, ret_regions, &used);
		if (ret < 0)
			return ret;
	}
	if (!used)
		return 0;
	*ret_count = used;
	return 1;
}

int dialect_pcsample(const struct dialect *dialect, long count)
{
	if (!dialect->lists_pcs)
		return -ENOSYS;
	return count < 0 ? -EINVAL : count > 0;
}
