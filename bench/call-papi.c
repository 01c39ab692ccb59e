// SPDX-License-Identifier: BSD-2-Clause
/* PAPI_profil(3), by the CPU's cycles or, where there is no counter for them, by any event for the
 * time that it has. */
#include "call.h"

#include <papi.h>

static const char *const events[] = {"PAPI_TOT_CYC", "perf::CPU-CLOCK", "perf::TASK-CLOCK"};
static uint32_t cells[CALL_CELLS];
static int set = PAPI_NULL;
static int event;

/* TOT_CYC has no fixed time: the clock that PAPI believes in tells how many make a tick. */
static int try_event(size_t i, unsigned long rate)
{
	const PAPI_hw_info_t *machine = PAPI_get_hardware_info();
	double second = i || !machine ? 1e9 : machine->cpu_max_mhz * 1e6;
	int code = PAPI_event_name_to_code(events[i], &event);

	set = PAPI_NULL;
	if (code == PAPI_OK)
		code = PAPI_create_eventset(&set);
	if (code == PAPI_OK)
		code = PAPI_add_event(set, event);
	if (code == PAPI_OK)
		code = PAPI_profil(cells, sizeof(cells), (vptr_t)work_text(), 65536, set, event,
				   (int)(second / (double)rate),
				   PAPI_PROFIL_POSIX | PAPI_PROFIL_BUCKET_32);
	if (code == PAPI_OK)
		code = PAPI_start(set);
	return code;
}

static void start(unsigned long rate)
{
	int code;

	if (PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
		call_refuse("PAPI", "PAPI_library_init() fails");
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		code = try_event(i, rate);
		if (code == PAPI_OK)
			return;
	}
	call_refuse("PAPI", PAPI_strerror(code));
}

static uint64_t stop(uint64_t ret_counts[static WORK_COPIES])
{
	long long value;

	PAPI_stop(set, &value);
	return call_sum(cells, 32, ret_counts);
}

const struct call call_papi = {"papi", start, stop};
