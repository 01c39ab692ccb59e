// SPDX-License-Identifier: BSD-2-Clause
#include "gmon/clock.h"

#include "engine/inside/threads.h"
#include "gmon/objects.h"

#include <errno.h>
#include <profil.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct profil_measurement *measurement;
static struct profil_options options = {.size = sizeof(options)};
static struct clock_account before; /* of measurements that are closed, modulo 2^64 */
static struct clock_account noted;  /* atomic */
static uint64_t noted_before_ns;    /* atomic; what the process's CPU time has more; 0: it is off */
static unsigned hertz;
static bool is_off; /* by clock_control() */

/* Not the kernel's engine unless it is asked for: each start of it, and each fork makes one, loads
 * a program into the kernel.  perf's ticks come at the rate asked for; the timer's need nothing. */
static const char *const engines[] = {"perf", "timer"};

static size_t count_objects(void)
{
	size_t count = 0;

	for (struct object *each = objects_first(); each; each = each->next)
		count += !each->is_gone;
	return count;
}

/* The kernel's engine takes whole pages, which the cells have; what the last one is more than the
 * text holds nothing that runs. */
static size_t cells_in_pages(const struct object *object)
{
	size_t in_page = (size_t)sysconf(_SC_PAGESIZE) / sizeof(*object->cells);

	return (object_cells(object) + in_page - 1) / in_page * in_page;
}

static struct profil_measurement *open_all(void)
{
	size_t count = count_objects(), i = 0;
	struct profil_region *regions = calloc(count ? count : 1, sizeof(*regions));
	bool is_kernel = !strcmp(options.engine, "kernel");
	struct profil_measurement *opened;

	if (!regions)
		return NULL;
	for (struct object *each = objects_first(); each; each = each->next)
		if (!each->is_gone)
			regions[i++] = (struct profil_region){
				.offset = each->low,
				.granule = OBJECT_GRANULE,
				.cells = each->cells,
				.count = is_kernel ? cells_in_pages(each) : object_cells(each),
				.bits = 64,
			};
	opened = profil_open(&options, regions, count);
	free(regions);
	return opened;
}

static int start_by(const char *engine, struct error *reason)
{
	int ret = 0;

	options.engine = engine;
	measurement = open_all();
	if (!measurement || (!is_off && profil_start(measurement)))
		ret = error_set(reason, -errno, "%s", profil_why(measurement));
	if (ret) {
		profil_close(measurement);
		measurement = NULL;
	}
	return ret;
}

int clock_start(uint64_t period_ns, const char *engine, struct error *reason)
{
	int ret = -ENOSYS;

	objects_clear();
	before = (struct clock_account){};
	is_off = false;
	options.period_ns = period_ns;
	hertz = (unsigned)((1000000000 + period_ns / 2) / period_ns);
	if (engine)
		return start_by(engine, reason);
	for (size_t i = 0; ret && i < sizeof(engines) / sizeof(*engines); i++)
		ret = start_by(engines[i], reason);
	return ret;
}

static void add_account(struct clock_account *sum)
{
	struct profil_account account = {.size = sizeof(account)};

	if (!measurement || profil_read(measurement, &account))
		return;
	sum->ticks += account.ticks;
	sum->outside += account.outside;
	sum->lost += account.lost;
	sum->unseen += account.unseen;
	sum->cpu_ns += account.cpu_ns;
}

void clock_account(struct clock_account *ret_account)
{
	*ret_account = before;
	add_account(ret_account);
}

static void store(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELAXED);
}

static uint64_t load(const uint64_t *from)
{
	return __atomic_load_n(from, __ATOMIC_RELAXED);
}

void clock_note(void)
{
	struct clock_account now;

	clock_account(&now);
	store(&noted.outside, now.outside);
	store(&noted.lost, now.lost);
	store(&noted_before_ns,
	      measurement && !is_off ? clock_ns(CLOCK_PROCESS_CPUTIME_ID) - now.cpu_ns : 0);
	store(&noted.cpu_ns, now.cpu_ns);
}

/* While it is on, CPU time goes on with the process's. */
void clock_noted(struct clock_account *ret_account)
{
	uint64_t since = load(&noted_before_ns);

	*ret_account = (struct clock_account){
		.outside = load(&noted.outside),
		.lost = load(&noted.lost),
		.cpu_ns = since ? clock_ns(CLOCK_PROCESS_CPUTIME_ID) - since : load(&noted.cpu_ns),
	};
}

void clock_stop(void)
{
	if (!measurement)
		return;
	(void)profil_stop(measurement);
	add_account(&before);
	profil_close(measurement);
	measurement = NULL;
}

void clock_renew(void)
{
	if (!measurement)
		return;
	clock_stop();
	(void)start_by(options.engine, NULL);
}

void clock_control(int on)
{
	is_off = !on;
	if (!measurement)
		return;
	if (on)
		(void)profil_start(measurement);
	else
		(void)profil_stop(measurement);
}

/* Pages that the kernel counts in are not the child's to empty. */
void clock_forked(void)
{
	struct clock_account inherited = {};

	if (measurement && !strcmp(profil_engine(measurement), "kernel"))
		(void)profil_reset(measurement);
	else
		objects_clear();
	before = (struct clock_account){};
	add_account(&inherited);
	before.ticks -= inherited.ticks;
	before.outside -= inherited.outside;
	before.lost -= inherited.lost;
	before.unseen -= inherited.unseen;
	before.cpu_ns -= inherited.cpu_ns;
}

unsigned clock_hertz(void)
{
	return hertz;
}

uint64_t clock_period(void)
{
	return options.period_ns;
}

const char *clock_engine(void)
{
	return options.engine ? options.engine : "";
}
