// SPDX-License-Identifier: BSD-2-Clause
#include "engine/perf/inside/event_ticks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "dice.h"

#include <stdlib.h>

#define PERIOD 50021

static struct event_ticks *new_ticks(void)
{
	struct event_ticks *ticks = calloc(1, sizeof(*ticks));

	assert_non_null(ticks);
	ticks->period_ns = PERIOD;
	return ticks;
}

static void a_sample_on_time_is_one_tick(void **state)
{
	struct event_ticks *ticks = new_ticks();

	for (uint64_t n = 1; n < 1000; n++)
		assert_int_equal(event_ticks_take(ticks, 7, n * PERIOD + n % 5000), 1);
	free(ticks);
}

/* Interrupts of which each is late by up to three periods, and then some periods without any. */
static void what_came_late_is_made_up(void **state)
{
	struct event_ticks *ticks = new_ticks();
	uint64_t dice = 1, counted = PERIOD, sum = event_ticks_take(ticks, 7, counted);

	for (int i = 0; i < 10000; i++) {
		counted += PERIOD / 2 + dice_below(&dice, 3 * (uint64_t)PERIOD);
		sum += event_ticks_take(ticks, 7, counted);
		assert_in_range(sum, counted / PERIOD, counted / PERIOD + 1);
	}
	free(ticks);
}

/* The first sample that is seen of an event says nothing of those before. */
static void a_new_event_begins_with_one(void **state)
{
	struct event_ticks *ticks = new_ticks();

	assert_int_equal(event_ticks_take(ticks, 7, 100 * PERIOD), 1);
	assert_int_equal(event_ticks_take(ticks, 7, 103 * PERIOD), 3);
	assert_int_equal(event_ticks_take(ticks, 8, 50 * PERIOD), 1);
	assert_int_equal(event_ticks_take(ticks, 7, 104 * PERIOD), 1);
	event_ticks_forget(ticks);
	assert_int_equal(event_ticks_take(ticks, 7, 120 * PERIOD), 1);
	free(ticks);
}

/* Many more than are remembered: one tick each time, whatever is forgotten. */
static void events_that_are_forgotten_count_on(void **state)
{
	struct event_ticks *ticks = new_ticks();

	for (uint64_t n = 1; n < 20; n++)
		for (uint64_t event = 1; event < 4 * EVENT_TICKS_KNOWN; event++)
			assert_int_equal(event_ticks_take(ticks, event, n * PERIOD), 1);
	free(ticks);
}

/* One CPU's events, on a machine of 128, have numbers 128 apart. */
static void events_of_one_cpu_are_all_known(void **state)
{
	struct event_ticks *ticks = new_ticks();

	for (uint64_t event = 0; event < 512; event++)
		(void)event_ticks_take(ticks, 5 + 128 * event, PERIOD);
	for (uint64_t event = 0; event < 512; event++)
		assert_int_equal(event_ticks_take(ticks, 5 + 128 * event, 3 * PERIOD), 2);
	free(ticks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_on_time_is_one_tick),
		cmocka_unit_test(what_came_late_is_made_up),
		cmocka_unit_test(a_new_event_begins_with_one),
		cmocka_unit_test(events_that_are_forgotten_count_on),
		cmocka_unit_test(events_of_one_cpu_are_all_known),
	};

	return cmocka_run_group_tests_name("event_ticks", tests, NULL, NULL);
}
