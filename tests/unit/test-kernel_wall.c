// SPDX-License-Identifier: BSD-2-Clause
#include "engine/kernel/wall_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "engine/kernel/wall_names.h"

#include <stdlib.h>
#include <string.h>

/* What the kernel counted of all time, as amounts: every nanosecond once, whatever the shares. */

static const char *name_of(const struct histogram *histogram, const struct histogram_amount *amount)
{
	return histogram->functions[amount->cell.file].name;
}

/* How much of VALUE, at NAME where it is not NULL, and of TASK where it is not 0. */
static uint64_t sum(const struct histogram *histogram, enum histogram_value value, const char *name,
		    uint32_t task)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < histogram->amount_count; i++) {
		const struct histogram_amount *amount = &histogram->amounts[i];

		if (amount->value == value &&
		    (!name || !strcmp(name, name_of(histogram, amount))) &&
		    (!task || amount->cell.task == task))
			sum += amount->cell.ticks;
	}
	return sum;
}

#define READ 0
#define NANOSLEEP 35

/* Heap, for more may be added. */
static struct wall_wait *copy(const struct wall_wait *waits, size_t count)
{
	struct wall_wait *copied = malloc(count * sizeof(*copied));

	assert_non_null(copied);
	memcpy(copied, waits, count * sizeof(*copied));
	return copied;
}

/* Of one thread's reads, 1,000 were not walked; those that were say that nine in ten of their time
 * were in one place.  Another thread's were all walked, and of its sleep none was. */
static void what_was_not_walked_is_shared_out(void **state)
{
	static const struct wall_wait waits[] = {
		{{0, 7, READ, 1, KERNEL_STACK_NOT_SAMPLED}, {.ns = 1000003, .count = 1000}},
		{{11, 7, READ, 1, KERNEL_STACK_WHOLE}, {500, 1, 400, 1, 9000, 20}},
		{{12, 7, READ, 1, KERNEL_STACK_NO_TABLE}, {100, 3, 0, 0, 1000, 30}},
		{{11, 8, READ, 1, KERNEL_STACK_WHOLE}, {.ns = 50, .count = 1}},
		{{0, 8, NANOSLEEP, 1, KERNEL_STACK_NOT_SAMPLED}, {.ns = 600, .count = 6}},
	};
	struct wall wall = {.waits = copy(waits, 5), .wait_count = 5, .wait_capacity = 5};
	struct histogram histogram = {0};
	uint64_t whole = 0, cut = 0;

	assert_int_equal(kernel_wall_put(&wall, NULL, &histogram), 0);
	assert_int_equal(sum(&histogram, VALUE_BLOCKED, "read", 7), 1001003);
	assert_int_equal(sum(&histogram, VALUE_TIMES_BLOCKED, "read", 7), 1005);
	for (size_t i = 0; i < histogram.amount_count; i++) {
		const struct histogram_amount *amount = &histogram.amounts[i];

		if (amount->value != VALUE_BLOCKED || amount->cell.task != 7)
			continue;
		whole += amount->cell.stack_end == STACK_WHOLE ? amount->cell.ticks : 0;
		cut += amount->cell.stack_end == STACK_NO_TABLE ? amount->cell.ticks : 0;
		assert_int_not_equal(amount->cell.stack_end, STACK_NOT_SAMPLED);
	}
	assert_in_range(whole, 900 + 900002, 900 + 900004);
	assert_int_equal(whole + cut, 1001003);
	assert_int_equal(sum(&histogram, VALUE_BLOCKED, NULL, 8), 650);
	assert_int_equal(sum(&histogram, VALUE_BLOCKED, "nanosleep", 8), 600);
	assert_int_equal(histogram.wall[WALL_SAMPLED_NS], 1000003 + 400);
	free(wall.waits);
	histogram_done(&histogram);
}

/* Of a thread that lives, what it does at the end is a part of its life. */
static void who_lives_is_counted_to_the_end(void **state)
{
	struct kernel_life_left left[] = {
		{.life = {.began = 1000,
			  .since = 5000,
			  .running = 1500,
			  .queued = 500,
			  .blocked = 2000,
			  .task = 7,
			  .state = KERNEL_WALL_BLOCKED,
			  .reason = READ,
			  .recent[1] = {{.ns = 300, .count = 3, .reason = NANOSLEEP}}},
		 .runtime = 1400},
		{.life = {.began = 1000,
			  .since = 9000,
			  .running = 2000,
			  .queued = 6000,
			  .runtime = 2000,
			  .task = 8,
			  .state = KERNEL_WALL_RUNNING},
		 .runtime = 2000},
		/* An event of the last moment is later than the end. */
		{.life = {.began = 1000,
			  .since = 10500,
			  .running = 9500,
			  .runtime = 9500,
			  .task = 9,
			  .state = KERNEL_WALL_QUEUED,
			  .reason = KERNEL_WALL_PREEMPTED},
		 .runtime = 9500},
	};
	struct wall wall = {.left = left, .left_count = 3, .base_ns = 1000, .closed_ns = 10000};
	struct histogram histogram = {0};

	wall.all.elapsed[1] = 3000;
	wall.all.now = 2ull << 52 | 5000; /* so long after the base */
	assert_int_equal(kernel_wall_put(&wall, NULL, &histogram), 0);
	assert_int_equal(histogram.wall[WALL_THREADS], 3);
	assert_int_equal(histogram.wall[WALL_STILL_BLOCKED], 1);
	assert_int_equal(histogram.wall[WALL_OVER_NS] + histogram.wall[WALL_UNDER_NS], 0);
	assert_int_equal(sum(&histogram, VALUE_LIFETIME, NULL, 7), 9000);
	assert_int_equal(sum(&histogram, VALUE_STILL_BLOCKED, "read", 7), 5000);
	assert_int_equal(sum(&histogram, VALUE_BLOCKED, "read", 7), 5000);
	assert_int_equal(sum(&histogram, VALUE_BLOCKED, "nanosleep", 7), 300);
	assert_int_equal(sum(&histogram, VALUE_RUNNING, "interrupts and host", 7), 100);
	assert_int_equal(sum(&histogram, VALUE_RUNNING, "on CPU", 8), 3000);
	assert_int_equal(sum(&histogram, VALUE_LIFETIME, NULL, 9), 9500);
	assert_int_equal(sum(&histogram, VALUE_ELAPSED, "1 on CPU", 0), 3000);
	assert_int_equal(sum(&histogram, VALUE_ELAPSED, "2 on CPU", 0), 4000);
	free(wall.waits);
	histogram_done(&histogram);
}

static void reasons_have_names(void **state)
{
	static const struct {
		uint32_t reason;
		const char *name;
	} each[] = {
		{READ, "read"},
		{NANOSLEEP, "nanosleep"},
		{3 | KERNEL_WALL_32_BIT, "read"},
		{READ | KERNEL_WALL_DISK, "read (disk)"},
		{KERNEL_WALL_PAGE_FAULT | KERNEL_WALL_UNINTERRUPTIBLE,
		 "page fault (uninterruptible)"},
		{KERNEL_WALL_THROTTLED, "throttled"},
		{KERNEL_WALL_INTERRUPT, "interrupt"},
		{950, "system call 950"},
	};
	char name[KERNEL_WALL_NAME_MAX];

	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		kernel_wall_name(each[i].reason, name, sizeof(name));
		assert_string_equal(name, each[i].name);
	}
	for (uint32_t reason = 0; reason < KERNEL_WALL_REASONS; reason++) {
		kernel_wall_name(reason, name, sizeof(name));
		assert_int_not_equal(strlen(name), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_not_walked_is_shared_out),
		cmocka_unit_test(who_lives_is_counted_to_the_end),
		cmocka_unit_test(reasons_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
