// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/session.h"

#include "histogram/cell.h"
#include "libprofil/export.h"
#include "libprofil/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static _Thread_local struct error refusal;

struct error *session_refusal(void)
{
	return &refusal;
}

const char *session_engine(const struct profil_measurement *measurement)
{
	return measurement->counting.inside ? measurement->counting.ops->name : measurement->name;
}

EXPORT const char *profil_engine(const struct profil_measurement *measurement)
{
	const char *name = "";

	if (!measurement)
		return name;
	counting_lock();
	name = session_engine(measurement);
	counting_unlock();
	return name;
}

EXPORT const char *profil_why(const struct profil_measurement *measurement)
{
	return measurement ? measurement->why.text : refusal.text;
}

EXPORT const char *profil_version(void)
{
	return PROFIL_VERSION;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct inside_options inside_options(const struct profil_measurement *measurement)
{
	return (struct inside_options){
		.period_ns = measurement->period_ns,
		.this_thread = measurement->this_thread,
		.table = measurement->table,
	};
}

static bool is_an_engine(const char *name)
{
	for (size_t i = 0; inside_list[i]; i++) {
		if (!strcmp(inside_list[i]->name, name))
			return true;
	}
	return false;
}

/* The engine that would count now, so that it can be asked for before the start. */
static int choose(struct profil_measurement *measurement, const char *engine)
{
	struct inside_options options = inside_options(measurement);
	const struct inside_ops *ops;
	int ret;

	if (engine && !is_an_engine(engine))
		return error_set(&measurement->why, -ENOSYS,
				 "engine: %.32s: there are kernel, perf and timer", engine);
	if (engine)
		(void)snprintf(measurement->engine, sizeof(measurement->engine), "%s", engine);
	ret = inside_choose(&options, engine, &ops, &measurement->why);
	if (ret)
		return ret == -ENOMEM ? ret : -EPERM;
	measurement->name = ops->name;
	return 0;
}

struct profil_measurement *session_new(const struct profil_options *options,
				       const struct region *regions, size_t count)
{
	struct profil_measurement *measurement = calloc(1, sizeof(*measurement));
	struct settings settings;
	int ret = -ENOMEM;

	settings_read(&settings);
	if (measurement) {
		measurement->name = "";
		measurement->period_ns = options->period_ns;
		measurement->this_thread = options->flags & PROFIL_THIS_THREAD;
		ret = region_table_new(regions, count, &measurement->table);
	}
	if (!ret)
		ret = choose(measurement, options->engine ? options->engine : settings.engine);
	if (settings.debug && measurement && measurement->table)
		settings_tell("profil_open", ret ? NULL : measurement->name, measurement->period_ns,
			      measurement->why.text, ret);
	if (!ret)
		return measurement;
	if (measurement)
		*session_refusal() = measurement->why;
	profil_close(measurement);
	errno = -ret;
	return NULL;
}

/* The caller's region as an engine's: 0, or -EINVAL. */
static int region_of(const struct profil_region *region, uint64_t flags, struct region *ret_region)
{
	unsigned width = region->bits / 8;

	if (region->bits != 8 && region->bits != 16 && region->bits != 32 && region->bits != 64)
		return error_set(session_refusal(), -EINVAL, "bits: %u: take 8, 16, 32 or 64",
				 region->bits);
	if (!region->count || !region->granule || !region->cells)
		return error_set(session_refusal(), -EINVAL,
				 "region: no cells or no granule: leave it out");
	if ((uintptr_t)region->cells % width)
		return error_set(session_refusal(), -EINVAL, "cells: %p: align them to %u bytes",
				 region->cells, width);
	*ret_region = (struct region){
		.offset = region->offset,
		.cells = region->cells,
		.count = region->count,
		.granule = region->granule,
		.width = (uint8_t)width,
		.full = flags & PROFIL_SATURATE ? CELL_SATURATES : CELL_WRAPS,
	};
	return 0;
}

EXPORT struct profil_measurement *profil_open(const struct profil_options *options,
					      const struct profil_region *regions, size_t count)
{
	struct profil_measurement *measurement = NULL;
	struct profil_options meant;
	struct region *copies;
	int ret;

	*session_refusal() = (struct error){};
	ret = session_options(options, &meant);
	if (!ret && !count)
		ret = error_set(session_refusal(), -EINVAL, "regions: none: give one at least");
	if (ret)
		goto refuse;
	copies = calloc(count, sizeof(*copies));
	if (!copies)
		ret = -ENOMEM;
	for (size_t i = 0; !ret && i < count; i++)
		ret = region_of(&regions[i], meant.flags, &copies[i]);
	if (!ret)
		measurement = session_new(&meant, copies, count);
	free(copies);
	if (!ret)
		return measurement;
refuse:
	errno = -ret;
	return NULL;
}

/* An engine that cannot after all leaves it to the next one: then the name and the reasons are
 * others than profil_open() found. */
static int start(struct profil_measurement *measurement)
{
	struct inside_options options = inside_options(measurement);
	struct error why = {};
	int ret;

	if (measurement->counting.inside)
		return -EALREADY;
	ret = counting_start(&measurement->counting, &options,
			     *measurement->engine ? measurement->engine : NULL, &why);
	measurement->why = why;
	if (!ret)
		measurement->name = measurement->counting.ops->name;
	return ret;
}

static void tell_start(const struct profil_measurement *measurement, const char *chosen, int ret)
{
	struct settings settings;

	settings_read(&settings);
	if (settings.debug && (ret || measurement->name != chosen))
		settings_tell("profil_start", ret ? NULL : measurement->name,
			      measurement->period_ns, measurement->why.text, ret);
}

EXPORT int profil_start(struct profil_measurement *measurement)
{
	const char *chosen;
	int ret;

	counting_lock();
	chosen = measurement->name;
	ret = start(measurement);
	if (!ret) {
		measurement->since_ns = clock_ns(CLOCK_MONOTONIC);
		if (!measurement->began_ns)
			measurement->began_ns = (int64_t)clock_ns(CLOCK_REALTIME);
	}
	tell_start(measurement, chosen, ret);
	counting_unlock();
	return with_errno(ret);
}

uint64_t session_duration(const struct profil_measurement *measurement)
{
	if (!measurement->counting.inside)
		return measurement->on_ns;
	return measurement->on_ns + clock_ns(CLOCK_MONOTONIC) - measurement->since_ns;
}

static void stop(struct profil_measurement *measurement)
{
	measurement->on_ns = session_duration(measurement);
	counting_stop(&measurement->counting);
}

EXPORT int profil_stop(struct profil_measurement *measurement)
{
	counting_lock();
	stop(measurement);
	counting_unlock();
	return 0;
}

EXPORT int profil_read(struct profil_measurement *measurement, struct profil_account *ret_account)
{
	struct profil_account result;
	struct inside_account account;
	int ret = extensible_check(ret_account, sizeof(*ret_account));

	if (ret)
		return with_errno(ret);
	counting_lock();
	ret = counting_account(&measurement->counting, &account);
	counting_unlock();
	if (ret)
		return with_errno(ret);
	result = (struct profil_account){
		.size = EXTENSIBLE_SIZE(ret_account),
		.ticks = account.ticks,
		.counted = account.counted,
		.outside = account.outside,
		.saturated = account.saturated,
		.lost = account.lost,
		.unseen = account.unseen,
		.cpu_ns = account.cpu_ns,
		.period_ns = measurement->period_ns,
	};
	memcpy(ret_account, &result, result.size);
	return 0;
}

/* Only those that are not 0: what was never written takes no memory, and shall not. */
static void clear_cells(const struct region_table *table)
{
	size_t count;
	const struct region *regions = region_table_regions(table, &count);

	for (size_t i = 0; i < count; i++) {
		const struct region *region = &regions[i];

		for (size_t cell = 0; cell < region->count; cell++) {
			uint64_t ticks = cell_load(region->cells, cell, region->width);

			while (ticks && !cell_swap(region->cells, cell, region->width, ticks, 0))
				ticks = cell_load(region->cells, cell, region->width);
		}
	}
}

/* Off meanwhile, so that cells and account begin at the same tick. */
static int reset(struct profil_measurement *measurement)
{
	struct counting *counting = &measurement->counting;
	bool was_on = counting->inside;

	if (was_on && measurement->this_thread && !pthread_equal(counting->owner, pthread_self()))
		return -EPERM;
	stop(measurement);
	clear_cells(measurement->table);
	counting->before = (struct inside_account){};
	measurement->on_ns = 0;
	measurement->began_ns = was_on ? (int64_t)clock_ns(CLOCK_REALTIME) : 0;
	measurement->since_ns = clock_ns(CLOCK_MONOTONIC);
	return was_on ? start(measurement) : 0;
}

EXPORT int profil_reset(struct profil_measurement *measurement)
{
	int ret;

	counting_lock();
	ret = reset(measurement);
	counting_unlock();
	return with_errno(ret);
}

static void unmap_cells(const struct region_table *table)
{
	size_t count;
	const struct region *regions = region_table_regions(table, &count);

	for (size_t i = 0; i < count; i++)
		(void)munmap(regions[i].cells, regions[i].count * regions[i].width);
}

EXPORT void profil_close(struct profil_measurement *measurement)
{
	int code = errno;

	if (!measurement)
		return;
	(void)profil_stop(measurement);
	if (measurement->owns_cells)
		unmap_cells(measurement->table);
	region_table_free(measurement->table);
	free(measurement);
	errno = code;
}
