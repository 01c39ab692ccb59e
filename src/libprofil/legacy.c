// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/legacy.h"

#include "libprofil/address.h"
#include "libprofil/counting.h"
#include "libprofil/export.h"
#include "libprofil/settings.h"

#include <errno.h>
#include <stdlib.h>

/* Under counting_lock(). */
static struct {
	struct counting counting;
	struct region_table *table; /* NULL: it is off */
} legacy;

static void switch_off(void)
{
	counting_stop(&legacy.counting);
	region_table_free(legacy.table);
	legacy.table = NULL;
}

static int switch_on_table(struct region_table *table, uint64_t tick_ns,
			   const struct settings *settings, const char **ret_engine,
			   struct error *why)
{
	struct inside_options options = {.period_ns = tick_ns, .table = table};
	int ret;

	counting_lock();
	switch_off();
	legacy.counting = (struct counting){};
	ret = counting_start(&legacy.counting, &options, settings->engine, why);
	if (!ret) {
		legacy.table = table;
		*ret_engine = legacy.counting.ops->name;
	}
	counting_unlock();
	if (ret)
		region_table_free(table);
	return ret;
}

/* What was on stays on when memory is short, and is off when no engine can count. */
static int switch_on(const struct region *regions, size_t count, uint64_t tick_ns, const char *call,
		     const struct settings *settings)
{
	struct region_table *table;
	struct error why = {};
	const char *engine = NULL;
	int ret = region_table_new(regions, count, &table);

	if (!ret)
		ret = switch_on_table(table, tick_ns, settings, &engine, &why);
	if (settings->debug)
		settings_tell(call, engine, tick_ns, why.text, ret);
	return ret;
}

static int locked_switch_off(void)
{
	counting_lock();
	switch_off();
	counting_unlock();
	return 0;
}

static uint64_t tick_of(const struct dialect *dialect, bool fast, const struct settings *settings)
{
	if (settings->period_ns)
		return settings->period_ns;
	return fast && dialect->fast_tick_ns ? dialect->fast_tick_ns : dialect->tick_ns;
}

bool legacy_is_legal(const struct region *region)
{
	return (uintptr_t)region->cells % region->width == 0 &&
	       address_is_writable(region->cells, region->count * region->width);
}

int legacy_regions(const struct dialect *dialect, const struct region *regions, size_t count)
{
	struct settings settings;

	if (!count)
		return locked_switch_off();
	settings_read(&settings);
	return switch_on(regions, count, tick_of(dialect, false, &settings), "profil", &settings);
}

int legacy_profil(const struct dialect *dialect, void *buffer, size_t bytes, uintptr_t offset,
		  uint64_t scale)
{
	struct region region;
	int ret = dialect_profil(dialect, buffer, bytes, offset, scale, &region);

	if (ret == 1 && dialect->checks_buffer && !legacy_is_legal(&region)) {
		(void)locked_switch_off();
		ret = -EFAULT;
	}
	if (ret >= 0)
		ret = legacy_regions(dialect, &region, (size_t)ret);
	if (ret < 0 && dialect->never_fails)
		ret = locked_switch_off();
	return with_errno(ret);
}

static unsigned width_of(const struct legacy_abi *abi, unsigned flags)
{
	for (size_t i = 0; abi->widths[i].width; i++) {
		if (abi->widths[i].flag == (flags & ~(abi->ignored | abi->fast)))
			return abi->widths[i].width;
	}
	return 0;
}

static int count_entries(const struct legacy_abi *abi, const void *profp, int count, unsigned flags,
			 uint64_t tick_ns, const struct settings *settings)
{
	struct dialect_entry *entries = calloc((size_t)count, sizeof(*entries));
	struct region *regions = calloc((size_t)count, sizeof(*regions));
	size_t used = 0;
	int ret = -ENOMEM;

	for (int i = 0; entries && i < count; i++)
		abi->entry((const char *)profp + (size_t)i * abi->entry_size, &entries[i]);
	if (entries && regions)
		ret = dialect_sprofil(abi->dialect, entries, count, width_of(abi, flags), regions,
				      &used);
	if (ret == 1)
		ret = switch_on(regions, used, tick_ns, "sprofil", settings);
	else if (ret == 0)
		ret = locked_switch_off();
	free(entries);
	free(regions);
	return ret;
}

/* In the order in which the pages list their errors: the count, the addresses, the rest. */
int legacy_sprofil(const struct legacy_abi *abi, const void *profp, int count, struct timeval *tvp,
		   unsigned flags)
{
	struct settings settings;
	uint64_t tick_ns;
	int ret = dialect_sprofil_count(abi->dialect, count);

	if (ret < 0)
		return with_errno(ret);
	if (tvp && !address_is_writable(tvp, sizeof(*tvp)))
		return with_errno(-EFAULT);
	if (ret && !address_is_readable(profp, (size_t)count * abi->entry_size))
		return with_errno(-EFAULT);
	settings_read(&settings);
	tick_ns = tick_of(abi->dialect, flags & abi->fast, &settings);
	ret = ret ? count_entries(abi, profp, count, flags, tick_ns, &settings)
		  : locked_switch_off();
	if (ret < 0)
		return with_errno(ret);
	if (tvp)
		*tvp = (struct timeval){
			.tv_sec = (time_t)(tick_ns / 1000000000),
			.tv_usec = (suseconds_t)((tick_ns % 1000000000 + 500) / 1000),
		};
	return 0;
}
