// SPDX-License-Identifier: BSD-2-Clause
#include "engine/lives.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Read at NOW: the sum of VALUE. */
static uint64_t sum(const struct lives *lives, uint64_t now, enum histogram_value value)
{
	struct histogram histogram = {0};
	uint64_t ret = 0;

	assert_int_equal(lives_read(lives, now, &histogram), 0);
	for (size_t i = 0; i < histogram.amount_count; i++)
		if (histogram.amounts[i].value == value)
			ret += histogram.amounts[i].cell.ticks;
	histogram_done(&histogram);
	return ret;
}

static void assert_sums(const struct lives *lives, uint64_t now, uint64_t running, uint64_t queued,
			uint64_t unaccounted)
{
	assert_int_equal(sum(lives, now, VALUE_RUNNING), running);
	assert_int_equal(sum(lives, now, VALUE_RUNQUEUE), queued);
	assert_int_equal(sum(lives, now, VALUE_UNACCOUNTED), unaccounted);
	assert_int_equal(sum(lives, now, VALUE_LIFETIME), running + queued + unaccounted);
}

static void each_state_has_its_time(void **state)
{
	struct lives lives = {.is_on = true};
	struct life *life = lives_begin(&lives, 7, 8, LIFE_NEW, 1000);

	lives_move(&lives, life, LIFE_RUNNING, 1010);
	lives_move(&lives, life, LIFE_PREEMPTED, 1030);
	lives_move(&lives, life, LIFE_RUNNING, 1070);
	lives_move(&lives, life, LIFE_AWAY, 1150);
	assert_sums(&lives, 1200, 100, 50, 50); /* it is still away */
	lives_move(&lives, life, LIFE_RUNNING, 1310);
	lives_end(&lives, life, 1320);
	assert_sums(&lives, 2000, 110, 50, 160);
	assert_int_equal(sum(&lives, 2000, VALUE_ELAPSED), 320);
	lives_done(&lives);
}

static void what_does_not_fit_is_missed(void **state)
{
	struct lives lives = {.is_on = true};
	struct life *life = lives_begin(&lives, 7, 7, LIFE_UNKNOWN, 0);

	lives_move(&lives, life, LIFE_RUNNING, 100); /* it begins */
	lives_move(&lives, life, LIFE_RUNNING, 130);
	assert_int_equal(lives.facts[WALL_MISSED_OUT], 1);
	lives_move(&lives, life, LIFE_AWAY, 140);
	lives_move(&lives, life, LIFE_PREEMPTED, 160);
	assert_int_equal(lives.facts[WALL_MISSED_IN], 1);
	assert_sums(&lives, 160, 10, 0, 50);
	lives.lost++; /* whatever it was */
	lives_move(&lives, life, LIFE_RUNNING, 200);
	assert_sums(&lives, 200, 10, 0, 90);
	assert_int_equal(lives.at_once, 1);
	lives_done(&lives);
}

static void who_is_met_did_what_its_next_move_says(void **state)
{
	struct lives lives = {.is_on = true};
	struct life *life = lives_begin(&lives, 7, 7, LIFE_RUNNING, 100);

	life->seeded = true;
	lives_move(&lives, life, LIFE_RUNNING, 130);
	assert_int_equal(lives.facts[WALL_SEEDED], 1);
	assert_sums(&lives, 150, 20, 30, 0);
	lives_done(&lives);
}

static void who_executes_goes_by_the_first_number(void **state)
{
	struct lives lives = {.is_on = true};
	struct life *life = lives_begin(&lives, 7, 9, LIFE_NEW, 100);

	lives_move(&lives, life, LIFE_RUNNING, 110);
	lives_execute(&lives, 7);
	assert_null(lives_find(&lives, 9));
	life = lives_find(&lives, 7);
	assert_non_null(life);
	lives_end(&lives, life, 150);
	assert_sums(&lives, 150, 40, 10, 0);
	assert_int_equal(lives.at_once, 0);
	lives_done(&lives);
}

static void sums_are_kept_apart_as_asked(void **state)
{
	struct lives lives = {.is_on = true, .by_process = true};
	struct histogram histogram = {0};

	for (uint32_t tid = 20; tid < 24; tid++) {
		lives_move(&lives, lives_begin(&lives, 20 + tid % 2, tid, LIFE_NEW, 100),
			   LIFE_RUNNING, 110);
		lives_end(&lives, lives_find(&lives, tid), 100 + tid);
	}
	assert_int_equal(lives_read(&lives, 200, &histogram), 0);
	assert_int_equal(histogram.task_count, 2);
	assert_int_equal(histogram.wall[WALL_THREADS], 4);
	assert_int_equal(histogram.tasks[1].pid, 21);
	histogram_done(&histogram);
	lives_done(&lives);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_state_has_its_time),
		cmocka_unit_test(what_does_not_fit_is_missed),
		cmocka_unit_test(who_is_met_did_what_its_next_move_says),
		cmocka_unit_test(who_executes_goes_by_the_first_number),
		cmocka_unit_test(sums_are_kept_apart_as_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
