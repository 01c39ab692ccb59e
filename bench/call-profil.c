// SPDX-License-Identifier: BSD-2-Clause
/* libprofil, by each of its engines. */
#include "call.h"

#include <profil.h>
#include <stdio.h>
#include <stdlib.h>

/* Whole pages of their own: the kernel engine counts in no others. */
static _Alignas(65536) uint32_t cells[CALL_CELLS];
static struct profil_measurement *measurement;

static void start(const char *engine, unsigned long rate)
{
	struct profil_options options = {
		.size = sizeof(options),
		.period_ns = 1000000000 / rate,
		.engine = engine,
	};
	struct profil_region region = {
		.offset = work_text(),
		.granule = 2,
		.cells = cells,
		.count = CALL_CELLS,
		.bits = 32,
	};

	measurement = profil_open(&options, &region, 1);
	if (!measurement || profil_start(measurement))
		call_refuse(engine, profil_why(measurement));
}

static uint64_t stop(uint64_t ret_counts[static WORK_COPIES])
{
	struct profil_account account = {.size = sizeof(account)};

	if (profil_stop(measurement) || profil_read(measurement, &account)) {
		perror("profil_stop");
		exit(1);
	}
	profil_close(measurement);
	call_sum(cells, 32, ret_counts);
	return account.ticks;
}

static void kernel_start(unsigned long rate)
{
	start("kernel", rate);
}

static void perf_start(unsigned long rate)
{
	start("perf", rate);
}

static void timer_start(unsigned long rate)
{
	start("timer", rate);
}

const struct call call_kernel = {"kernel", kernel_start, stop};
const struct call call_perf = {"perf", perf_start, stop};
const struct call call_timer = {"timer", timer_start, stop};
