// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/timer_threads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "burn.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A table of no regions: each tick is nobody's. */
struct ticking {
	struct tally tally;
	struct region_table *table;
	struct tick_signal signal;
	struct timer_threads timers;
};

static void begin(struct ticking *ticking)
{
	*ticking = (struct ticking){0};
	timer_threads_init(&ticking->timers, PERIOD_NS, &ticking->signal);
	assert_int_equal(region_table_new(NULL, 0, &ticking->table), 0);
	ticking->tally.table = ticking->table;
	assert_int_equal(
		tick_signal_take(&ticking->signal, &ticking->tally, &ticking->timers.ledger, NULL),
		0);
}

static uint64_t end(struct ticking *ticking)
{
	struct inside_account account;

	timer_threads_delete(&ticking->timers);
	tick_signal_release(&ticking->signal);
	timer_threads_done(&ticking->timers);
	region_table_free(ticking->table);
	tally_read(&ticking->tally, &account);
	return account.outside;
}

static void *burn_unseen_first(void *argument)
{
	struct ticking *ticking = argument;

	burn(left, 100);
	assert_int_equal(timer_threads_add(&ticking->timers, gettid(), TIMER_FROM_BIRTH, NULL), 0);
	burn(left, 1);
	return NULL;
}

static void makes_up_for_the_time_since_birth(void **state)
{
	struct ticking ticking;
	pthread_t thread;

	begin(&ticking);
	assert_int_equal(pthread_create(&thread, NULL, burn_unseen_first, &ticking), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_in_range(end(&ticking), 95, 150);
}

static void begins_now_if_told_so(void **state)
{
	struct ticking ticking;

	burn(left, 50);
	begin(&ticking);
	assert_int_equal(timer_threads_add(&ticking.timers, gettid(), TIMER_FROM_NOW, NULL), 0);
	burn(left, 1);
	assert_in_range(end(&ticking), 0, 40);
}

/* What the list misses is not gone for that. */
static void a_thread_has_one_timer(void **state)
{
	struct thread_list nobody = {0};
	struct ticking ticking;

	begin(&ticking);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(timer_threads_add(&ticking.timers, gettid(), TIMER_FROM_NOW, NULL),
				 0);
		timer_threads_keep(&ticking.timers, &nobody);
	}
	assert_int_equal(ticking.timers.count, 1);
	assert_int_equal(ticking.timers.lines, 1);
	end(&ticking);
}

static void wait_for_end(pid_t tid)
{
	/* The kernel wakes who joins just before the thread is off its list. */
	while (!tgkill(getpid(), tid, 0))
		;
}

struct adding {
	struct ticking *ticking;
	pid_t tid;
};

static void *add_oneself(void *argument)
{
	struct adding *adding = argument;

	adding->tid = gettid();
	assert_int_equal(
		timer_threads_add(&adding->ticking->timers, adding->tid, TIMER_FROM_NOW, NULL), 0);
	return NULL;
}

static void the_line_of_an_ended_thread_is_used_again(void **state)
{
	struct thread_list nobody = {0};
	struct ticking ticking;

	begin(&ticking);
	for (int i = 0; i < 3; i++) {
		struct adding adding = {.ticking = &ticking};
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, add_oneself, &adding), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		wait_for_end(adding.tid);
		assert_int_equal(ticking.timers.count, 1);
		timer_threads_keep(&ticking.timers, &nobody);
		assert_int_equal(ticking.timers.count, 0);
	}
	assert_int_equal(ticking.timers.lines, 1);
	end(&ticking);
}

static void *say_tid(void *tid)
{
	*(pid_t *)tid = gettid();
	return NULL;
}

static void a_thread_that_has_ended_is_no_error(void **state)
{
	struct ticking ticking;
	struct error error = {.text = ""};
	pthread_t thread;
	pid_t tid;

	assert_int_equal(pthread_create(&thread, NULL, say_tid, &tid), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	wait_for_end(tid);
	begin(&ticking);
	assert_int_equal(timer_threads_add(&ticking.timers, tid, TIMER_FROM_NOW, &error), 0);
	assert_int_equal(ticking.timers.count, 0);
	assert_string_equal(error.text, "");
	end(&ticking);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_up_for_the_time_since_birth),
		cmocka_unit_test(begins_now_if_told_so),
		cmocka_unit_test(a_thread_has_one_timer),
		cmocka_unit_test(the_line_of_an_ended_thread_is_used_again),
		cmocka_unit_test(a_thread_that_has_ended_is_no_error),
	};

	return cmocka_run_group_tests_name("timer_threads", tests, NULL, NULL);
}
