// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/due.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

#define PERIOD 1000

static struct perf_due_key on(uint32_t tid, uint32_t cpu)
{
	return (struct perf_due_key){.pid = 7, .tid = tid, .cpu = cpu};
}

static void ticks_are_those_the_event_counted(void **state)
{
	struct perf_due due = {.period = PERIOD};

	assert_int_equal(perf_due_take(&due, on(7, 0), 1 * PERIOD + 20), 1);
	assert_int_equal(perf_due_take(&due, on(7, 0), 4 * PERIOD + 10), 3); /* 2 were not shown */
	assert_int_equal(perf_due_take(&due, on(7, 0), 4 * PERIOD + 900),
			 1);						/* the other clock: 5 */
	assert_int_equal(perf_due_take(&due, on(7, 0), 5 * PERIOD), 0); /* counted with that */
	assert_int_equal(perf_due_take(&due, on(7, 1), 2 * PERIOD), 2); /* another CPU's event */
	perf_due_done(&due);
}

static void who_has_the_number_next_begins_anew(void **state)
{
	struct perf_due due = {.period = PERIOD};

	perf_due_forget(&due, on(7, 0)); /* not there */
	assert_int_equal(perf_due_take(&due, on(7, 0), 9 * PERIOD), 9);
	perf_due_forget(&due, on(7, 0));
	assert_int_equal(due.count, 0);
	assert_int_equal(perf_due_take(&due, on(7, 0), 2 * PERIOD), 2);
	perf_due_done(&due);
}

/* Thread 9 of process 7 executes a program: its counts go on under the number of the first. */
static void who_executes_takes_its_counts_along(void **state)
{
	struct perf_due due = {.period = PERIOD};

	assert_int_equal(perf_due_take(&due, on(7, 0), 5 * PERIOD), 5);
	for (uint32_t cpu = 0; cpu < 3; cpu++)
		assert_int_equal(perf_due_take(&due, on(9, cpu), 3 * PERIOD), 3);
	assert_int_equal(perf_due_take(&due, (struct perf_due_key){8, 8, 0}, 6 * PERIOD), 6);
	perf_due_execute(&due, 7);
	assert_int_equal(due.count, 4);
	for (uint32_t cpu = 0; cpu < 3; cpu++)
		assert_int_equal(perf_due_take(&due, on(7, cpu), 4 * PERIOD), 1);
	assert_int_equal(perf_due_take(&due, (struct perf_due_key){8, 8, 0}, 7 * PERIOD), 1);
	perf_due_done(&due);
}

/* Threads that live and end in any order are never taken for one another. */
static void threads_are_apart_whichever_ends(void **state)
{
	enum { THREADS = 5000 };
	struct perf_due due = {.period = PERIOD};

	for (uint32_t tid = 1; tid <= THREADS; tid++)
		assert_int_equal(perf_due_take(&due, on(tid, tid % 3), tid * PERIOD), tid);
	for (uint32_t tid = 1; tid <= THREADS; tid += 3)
		perf_due_forget(&due, on(tid, tid % 3));
	for (uint32_t tid = 1; tid <= THREADS; tid++)
		assert_int_equal(perf_due_take(&due, on(tid, tid % 3), (tid + 1) * PERIOD),
				 tid % 3 == 1 ? tid + 1 : 1);
	assert_int_equal(due.count, THREADS);
	perf_due_done(&due);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_are_those_the_event_counted),
		cmocka_unit_test(who_has_the_number_next_begins_anew),
		cmocka_unit_test(who_executes_takes_its_counts_along),
		cmocka_unit_test(threads_are_apart_whichever_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
