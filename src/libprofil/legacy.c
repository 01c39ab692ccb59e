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
	struct region_table *table; /* NULL: it is off, or lists */
	struct pc_list list;	    /* the last one; of no use when it is on with a table */
} legacy;

static void switch_off(void)
{
	counting_stop(&legacy.counting);
	region_table_free(legacy.table);
	legacy.table = NULL;
	legacy.list = (struct pc_list){};
}

/* A start, and what there is to tell of it when it has been tried. */
struct start {
	const char *call;
	const struct settings *settings;
	uint64_t tick_ns;
	const char *engine;
	struct error why;
};

/* With TABLE, which becomes the measurement's, or with LIST; the other one is NULL. */
static int start(struct start *start, struct region_table *table, struct pc_list *list)
{
	struct inside_options options = {.period_ns = start->tick_ns, .table = table, .list = list};
	int ret;

	legacy.counting = (struct counting){};
	ret = counting_start(&legacy.counting, &options, start->settings->engine, &start->why);
	if (ret)
		return ret;
	legacy.table = table;
	start->engine = legacy.counting.ops->name;
	return 0;
}

static void tell(const struct start *start, int ret)
{
	if (start->settings->debug)
		settings_tell(start->call, start->engine, start->tick_ns, start->why.text, ret);
}

/* What was on stays on when memory is short, and is off when no engine can count. */
static int switch_on(const struct region *regions, size_t count, uint64_t tick_ns, const char *call,
		     const struct settings *settings)
{
	struct start one = {.call = call, .settings = settings, .tick_ns = tick_ns};
	struct region_table *table;
	int ret = region_table_new(regions, count, &table);

	if (!ret) {
		counting_lock();
		switch_off();
		ret = start(&one, table, NULL);
		counting_unlock();
		if (ret)
			region_table_free(table);
	}
	tell(&one, ret);
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

/* Before any engine is asked, so that the answer is the same by each. */
static bool are_writable(const struct region *regions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!address_is_writable(regions[i].cells, regions[i].count * regions[i].width))
			return false;
	return true;
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
	if (ret == 1 && !are_writable(regions, used))
		ret = -EFAULT;
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

/* What was listed before is told once; a call that fails has not told it. */
long legacy_pcsample(const struct dialect *dialect, uintptr_t *pcs, long count)
{
	struct settings settings;
	struct start one = {.call = "pcsample", .settings = &settings};
	int ret = dialect_pcsample(dialect, count);
	bool is_on = ret == 1;
	size_t before;

	if (ret < 0)
		return with_errno(ret);
	settings_read(&settings);
	one.tick_ns = tick_of(dialect, false, &settings);
	counting_lock();
	counting_stop(&legacy.counting);
	before = pc_list_used(&legacy.list);
	switch_off();
	legacy.list.pcs = pcs;
	legacy.list.room = (size_t)count;
	ret = is_on ? start(&one, NULL, &legacy.list) : 0;
	if (ret)
		legacy.list.used = before;
	counting_unlock();
	if (is_on)
		tell(&one, ret);
	return ret ? with_errno(ret) : (long)before;
}
