// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf_due.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

#define PERIOD 1000

static void ticks_are_those_the_event_counted(void **state)
{
	struct perf_due due = {.period_ns = PERIOD};

	assert_int_equal(perf_due_take(&due, 7, 1 * PERIOD + 20), 1);
	assert_int_equal(perf_due_take(&due, 7, 4 * PERIOD + 10), 3);  /* two were not shown */
	assert_int_equal(perf_due_take(&due, 7, 4 * PERIOD + 900), 1); /* by the other clock, 5 */
	assert_int_equal(perf_due_take(&due, 7, 5 * PERIOD), 0);       /* was counted with that */
	assert_int_equal(perf_due_end(&due, 7, 7 * PERIOD + 999), 2);
	assert_int_equal(due.count, 0);
	assert_int_equal(perf_due_end(&due, 8, PERIOD - 1), 0); /* never had one */
	assert_int_equal(perf_due_end(&due, 9, 3 * PERIOD), 3); /* none was shown */
	perf_due_done(&due);
}

/* Threads that live and end in any order are never taken for one another. */
static void events_are_apart_whichever_end(void **state)
{
	enum { EVENTS = 5000 };
	struct perf_due due = {.period_ns = PERIOD};

	for (uint64_t event = 1; event <= EVENTS; event++)
		assert_int_equal(perf_due_take(&due, event, event * PERIOD), event);
	for (uint64_t event = 1; event <= EVENTS; event += 3)
		assert_int_equal(perf_due_end(&due, event, (event + 2) * PERIOD), 2);
	for (uint64_t event = 1; event <= EVENTS; event++)
		assert_int_equal(perf_due_take(&due, event, (event + 1) * PERIOD),
				 event % 3 == 1 ? event + 1 : 1);
	assert_int_equal(due.count, EVENTS);
	perf_due_done(&due);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_are_those_the_event_counted),
		cmocka_unit_test(events_are_apart_whichever_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
