// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "burn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the engines count, against the CPU time that the program measures itself.
 *
 * Two things are the clock's and no fault: timer's signals come at the kernel's tick, here taken
 * for 10 ms at most, so that a thread's last one may be missing; and a virtual machine that is not
 * scheduled makes up no tick of perf's. */

#define KERNEL_TICK_NS 10000000

static void ticks_are_cpu_time(const struct burning *burning, const struct inside_account *last,
			       unsigned threads)
{
	uint64_t least = last->cpu_ns / 4 * 3;

	if (burning->ops == &inside_timer)
		least = last->cpu_ns - threads * 2 * (uint64_t)KERNEL_TICK_NS;
	assert_within(burning, last, was_alone(burning, last, threads) ? least : 0,
		      last->cpu_ns + last->cpu_ns / 100 + PERIOD_NS);
}

static void chooses_by_name_and_by_rank(void **state)
{
	struct inside_options options = {.period_ns = PERIOD_NS};
	const struct inside_ops *ops = NULL;
	struct error why;

	assert_int_equal(inside_choose(&options, "timer", &ops, &why), 0);
	assert_ptr_equal(ops, &inside_timer);
	assert_string_equal(why.text, "");
	assert_int_equal(inside_choose(&options, NULL, &ops, NULL), 0);
	assert_int_equal(inside_choose(&options, "sundial", &ops, &why), -ENOSYS);
	assert_non_null(strstr(why.text, "engine sundial: "));
}

/* Three turns of 100 us to one.  Each signal of timer's, one in a kernel's tick of 4 ms, and each
 * of perf's samples is a draw: with 200 of them 4.9 standard deviations of 3:1 are 0.15, beyond
 * which one run in a million is. */
static void splits_three_to_one_by(const struct inside_ops *ops)
{
	uint64_t cells[2], spent[2] = {0};
	struct burning burning = start(ops, cells, /* this_thread= */ true);
	double share, truth;

	while (spent[0] + spent[1] < 800000000) {
		for (int i = 0; i < 3; i++)
			spent[0] += burn(left, 0);
		spent[1] += burn(right, 0);
	}
	stop(&burning);
	truth = (double)spent[0] / (double)(spent[0] + spent[1]);
	share = (double)cells[0] / (double)(cells[0] + cells[1]);
	if (share < truth - 0.15 || share > truth + 0.15)
		fail_msg("off limits: a share of %f, not %f", share, truth);
}
EACH(splits_three_to_one)

static void one_thread_by(const struct inside_ops *ops)
{
	uint64_t cells[2];
	struct burning burning = start(ops, cells, /* this_thread= */ true);
	struct inside_account last;

	burn(left, 200);
	last = stop(&burning);
	assert_in_range(last.cpu_ns, 200000000, 300000000);
	ticks_are_cpu_time(&burning, &last, 1);
	assert_int_equal(cells[0] + cells[1], last.counted);
	assert_int_equal(last.saturated + last.lost, 0);
	assert_false(last.ended);
}
EACH(one_thread)

static void run_threads(unsigned count, unsigned ms)
{
	pthread_t threads[16];

	for (unsigned i = 0; i < count; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, burn_left_thread, &ms), 0);
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* They are there before it starts or come after: both. */
static void eight_threads_by(const struct inside_ops *ops)
{
	unsigned ms = 100;
	uint64_t cells[2];
	struct inside_account last;
	struct burning burning;
	pthread_t before[4];

	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&before[i], NULL, burn_left_thread, &ms), 0);
	burning = start(ops, cells, /* this_thread= */ false);
	run_threads(4, ms);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(pthread_join(before[i], NULL), 0);
	last = stop(&burning);
	ticks_are_cpu_time(&burning, &last, 8);
	assert_int_equal(cells[0], last.counted);
}
EACH(eight_threads)

/* A hundred of 20 ms.  Of each timer may miss the last kernel's tick, 4 ms or even 10, and perf the
 * rest of a period on each CPU. */
static void threads_that_come_and_go_by(const struct inside_ops *ops)
{
	uint64_t cells[2];
	struct burning burning = start(ops, cells, /* this_thread= */ false);
	struct inside_account last;

	for (int i = 0; i < 10; i++)
		run_threads(10, 20);
	last = stop(&burning);
	assert_true(last.cpu_ns >= 2000000000);
	assert_within(&burning, &last,
		      was_alone(&burning, &last, 10) ? last.cpu_ns / (ops == &inside_timer ? 3 : 2)
						     : 0,
		      last.cpu_ns + last.cpu_ns / 100);
}
EACH(threads_that_come_and_go)

static void leaves_other_threads_alone_by(const struct inside_ops *ops)
{
	uint64_t cells[2];
	struct burning burning = start(ops, cells, /* this_thread= */ true);
	struct inside_account last;

	run_threads(2, 50);
	last = stop(&burning);
	assert_int_equal(cells[0], 0);
	assert_true(last.cpu_ns < 50000000);
}
EACH(leaves_other_threads_alone)

static struct inside_account burn_into(const struct inside_ops *ops, struct region region)
{
	struct burning burning = start_regions(ops, &region, 1, /* this_thread= */ true);

	for (int i = 0; i < 1000 && !account(&burning).ended && account(&burning).ticks < 50; i++)
		burn(left, 10);
	return stop(&burning);
}

static void a_full_cell_stays_full_by(const struct inside_ops *ops)
{
	uint16_t cell = UINT16_MAX - 3;
	struct inside_account last = burn_into(ops, burn_region(left, &cell, 2, CELL_SATURATES));

	assert_int_equal(cell, UINT16_MAX);
	assert_true(last.saturated > 0);
	assert_true(last.counted <= 3);
	assert_false(last.ended);
}
EACH(a_full_cell_stays_full)

static void a_full_cell_wraps_by(const struct inside_ops *ops)
{
	uint16_t cell = UINT16_MAX - 3;
	struct inside_account last = burn_into(ops, burn_region(left, &cell, 2, CELL_WRAPS));

	assert_int_equal(cell, (uint16_t)(UINT16_MAX - 3 + last.counted));
	assert_true(last.counted > 3);
	assert_int_equal(last.saturated, 0);
}
EACH(a_full_cell_wraps)

static void a_full_cell_ends_all_by(const struct inside_ops *ops)
{
	uint16_t cell = 32767 - 3;
	struct inside_account last = burn_into(ops, burn_region(left, &cell, 2, CELL_ENDS_ALL));

	assert_in_range(cell, 32767 - 3, 32767);
	assert_true(last.ended);
	assert_true(last.saturated > 0);
}
EACH(a_full_cell_ends_all)

static void the_account_only_grows_by(const struct inside_ops *ops)
{
	uint64_t cells[2];
	struct burning burning = start(ops, cells, /* this_thread= */ false);
	struct inside_account before = {0}, now;

	for (int i = 0; i < 20; i++) {
		assert_true(burn_until(&burning, right, before.ticks + 1));
		now = account(&burning);
		assert_true(now.ticks >= before.ticks && now.cpu_ns >= before.cpu_ns);
		before = now;
	}
	now = stop(&burning);
	assert_true(now.ticks >= before.ticks && before.ticks > 0);
}
EACH(the_account_only_grows)

/* The engines' own threads are nobody's, in any measurement. */
static void several_at_once(void **state)
{
	uint64_t by_perf[2], by_timer[2], again[2];
	struct burning perf = start(&inside_perf, by_perf, false);
	struct burning timer = start(&inside_timer, by_timer, false);
	struct burning second = start(&inside_timer, again, false);

	assert_true(burn_until(&timer, left, 50));
	stop(&timer);
	assert_true(burn_until(&second, right, 200));
	stop(&second);
	assert_true(burn_until(&perf, right, 200));
	stop(&perf);
	assert_true(by_timer[0] >= 40 && again[0] >= 40 && by_perf[0] >= 20);
	assert_int_equal(by_timer[1], 0);
	assert_true(again[1] > 0 && by_perf[1] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chooses_by_name_and_by_rank),
		cmocka_unit_test(splits_three_to_one),
		cmocka_unit_test(one_thread),
		cmocka_unit_test(eight_threads),
		cmocka_unit_test(threads_that_come_and_go),
		cmocka_unit_test(leaves_other_threads_alone),
		cmocka_unit_test(a_full_cell_stays_full),
		cmocka_unit_test(a_full_cell_wraps),
		cmocka_unit_test(a_full_cell_ends_all),
		cmocka_unit_test(the_account_only_grows),
		cmocka_unit_test(several_at_once),
	};

	return cmocka_run_group_tests_name("inside", tests, NULL, NULL);
}
