// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/cell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/array.h"
#include "histogram/region.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#define THREADS 4
#define ADDS 90000

/* Cells of any width, and neighbours that must not be touched. */
union cells {
	uint8_t of_1[8];
	uint16_t of_2[4];
	uint32_t of_4[2];
	uint64_t of_8[8];
};

static void knows_its_maximum(void **state)
{
	assert_int_equal(cell_max(1), UINT8_MAX);
	assert_int_equal(cell_max(2), UINT16_MAX);
	assert_int_equal(cell_max(4), UINT32_MAX);
	assert_int_equal(cell_max(8), UINT64_MAX);
}

static void touches_no_neighbour(void **state)
{
	for (unsigned width = 1; width <= 8; width *= 2) {
		uint8_t bytes[24] __attribute__((aligned(8)));

		memset(bytes, 0xff, sizeof(bytes));
		cell_add(bytes, 1, width, 1);
		for (size_t i = 0; i < sizeof(bytes); i++)
			assert_int_equal(bytes[i], i / width == 1 ? 0 : 0xff);
		assert_int_equal(cell_load(bytes, 1, width), 0);
		assert_int_equal(cell_load(bytes, 2, width), cell_max(width));
	}
}

static void swaps_only_what_is_there(void **state)
{
	for (unsigned width = 1; width <= 8; width *= 2) {
		union cells cells = {.of_8 = {0}};

		cell_add(&cells, 1, width, 5);
		assert_false(cell_swap(&cells, 1, width, 4, 6));
		assert_int_equal(cell_load(&cells, 1, width), 5);
		/* It may fail without a reason. */
		while (!cell_swap(&cells, 1, width, 5, cell_max(width)))
			assert_int_equal(cell_load(&cells, 1, width), 5);
		assert_int_equal(cell_load(&cells, 1, width), cell_max(width));
		assert_int_equal(cell_load(&cells, 0, width), 0);
	}
}

static struct region region_of(union cells *cells, unsigned width, enum cell_full full)
{
	return (struct region){
		.cells = cells, .count = 2, .granule = 1, .width = (uint8_t)width, .full = full};
}

static void wraps(void **state)
{
	for (unsigned width = 1; width <= 8; width *= 2) {
		union cells cells = {.of_8 = {0}};
		struct region region = region_of(&cells, width, CELL_WRAPS);

		while (!cell_swap(&cells, 0, width, 0, cell_max(width) - 5)) {
		}
		assert_int_equal(region_add(&region, 0, 6), REGION_COUNTED);
		assert_int_equal(cell_load(&cells, 0, width), 0);
		assert_int_equal(cell_load(&cells, 1, width), 0);
		assert_int_equal(region_add(&region, 0, 70000), REGION_COUNTED);
		assert_int_equal(cell_load(&cells, 0, width), 70000 & cell_max(width));
	}
}

static void saturates(void **state)
{
	for (unsigned width = 1; width <= 8; width *= 2) {
		union cells cells = {.of_8 = {0}};
		struct region region = region_of(&cells, width, CELL_SATURATES);

		while (!cell_swap(&cells, 0, width, 0, cell_max(width) - 5)) {
		}
		assert_int_equal(region_add(&region, 0, 1), REGION_COUNTED);
		assert_int_equal(region_add(&region, 0, 7), REGION_IS_FULL);
		assert_int_equal(cell_load(&cells, 0, width), cell_max(width));
		assert_int_equal(region_add(&region, 0, UINT32_MAX), REGION_IS_FULL);
		assert_int_equal(cell_load(&cells, 0, width), cell_max(width));
		assert_int_equal(cell_load(&cells, 1, width), 0);
	}
}

static void fills_to_the_last_one(void **state)
{
	union cells cells = {.of_2 = {65530}};
	struct region region = region_of(&cells, 2, CELL_SATURATES);

	assert_int_equal(region_add(&region, 0, 5), REGION_COUNTED);
	assert_int_equal(cells.of_2[0], 65535);
	region.width = 4;
	cells.of_4[0] = 0;
	assert_int_equal(region_add(&region, 0, UINT32_MAX), REGION_COUNTED);
	assert_int_equal(region_add(&region, 0, 1), REGION_IS_FULL);
}

static void ends_all_and_writes_nothing(void **state)
{
	union cells cells = {.of_2 = {32765, 40000}};
	struct region region = region_of(&cells, 2, CELL_ENDS_ALL);

	assert_int_equal(region_add(&region, 0, 3), REGION_ENDS_ALL);
	assert_int_equal(cells.of_2[0], 32765);
	assert_int_equal(region_add(&region, 0, 2), REGION_COUNTED);
	assert_int_equal(cells.of_2[0], 32767);
	assert_int_equal(region_add(&region, 0, 1), REGION_ENDS_ALL);
	assert_int_equal(cells.of_2[0], 32767);
	/* A program may have left more there. */
	assert_int_equal(region_add(&region, 1, 1), REGION_ENDS_ALL);
	assert_int_equal(cells.of_2[1], 40000);
}

struct worker {
	pthread_t thread;
	pthread_barrier_t *start; /* all at once, or the first would be done before the last */
	const struct region *region;
	size_t cell;
	uint64_t results[4]; /* by enum region_result */
};

static void *work(void *argument)
{
	struct worker *worker = argument;

	pthread_barrier_wait(worker->start);
	for (int i = 0; i < ADDS; i++)
		worker->results[region_add(worker->region, worker->cell, 1 + i % 3)]++;
	return NULL;
}

/* All threads but the last add to cell 0; the last to cell 1, its neighbour in the same word.
 * Returns how many adds to cell 0 were answered RESULT. */
static uint64_t let_them_work(const struct region *region, enum region_result result)
{
	struct worker workers[THREADS];
	pthread_barrier_t start;
	uint64_t sum = 0;

	assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
	for (size_t i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){
			.start = &start, .region = region, .cell = i == THREADS - 1};
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
		sum += i < THREADS - 1 ? workers[i].results[result] : 0;
	}
	assert_int_equal(pthread_barrier_destroy(&start), 0);
	return sum;
}

static void loses_nothing_among_threads(void **state)
{
	const uint64_t one = 2 * ADDS, all = (THREADS - 1) * one, adds = (THREADS - 1) * ADDS;

	for (unsigned width = 1; width <= 8; width *= 2) {
		union cells wrapped = {.of_8 = {0}}, saturated = {.of_8 = {0}};
		struct region wraps = region_of(&wrapped, width, CELL_WRAPS);
		struct region saturates = region_of(&saturated, width, CELL_SATURATES);
		uint64_t max = cell_max(width);

		assert_int_equal(let_them_work(&wraps, REGION_COUNTED), adds);
		assert_int_equal(cell_load(&wrapped, 0, width), all & max);
		assert_int_equal(cell_load(&wrapped, 1, width), one & max);
		assert_int_equal(let_them_work(&saturates, REGION_IS_FULL) > 0, all > max);
		assert_int_equal(cell_load(&saturated, 0, width), all < max ? all : max);
		assert_int_equal(cell_load(&saturated, 1, width), one < max ? one : max);
	}
}

static void ends_all_among_threads(void **state)
{
	union cells cells = {.of_2 = {0}};
	struct region region = region_of(&cells, 2, CELL_ENDS_ALL);

	assert_true(let_them_work(&region, REGION_ENDS_ALL) > 0);
	assert_int_equal(cells.of_2[0], 32767);
	assert_int_equal(cells.of_2[1], 32767);
}

static const struct region *signalled;
static volatile sig_atomic_t signals;

static void add_in_handler(int signal)
{
	region_add(signalled, 0, 1);
	signals++;
}

static void *send_signals(void *thread)
{
	for (int i = 0; i < 2000; i++)
		pthread_kill(*(pthread_t *)thread, SIGUSR1);
	return NULL;
}

static void loses_nothing_to_a_signal(void **state)
{
	struct sigaction action = {.sa_handler = add_in_handler}, before;
	union cells cells = {.of_8 = {0}};
	struct region region = region_of(&cells, 4, CELL_SATURATES);
	pthread_t self = pthread_self(), sender;

	signalled = &region;
	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	assert_int_equal(pthread_create(&sender, NULL, send_signals, &self), 0);
	for (int i = 0; i < ADDS; i++)
		assert_int_equal(region_add(&region, 0, 1), REGION_COUNTED);
	assert_int_equal(pthread_join(sender, NULL), 0);
	assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
	assert_true(signals > 0);
	assert_int_equal(cells.of_4[0], ADDS + signals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_its_maximum),
		cmocka_unit_test(touches_no_neighbour),
		cmocka_unit_test(swaps_only_what_is_there),
		cmocka_unit_test(wraps),
		cmocka_unit_test(saturates),
		cmocka_unit_test(fills_to_the_last_one),
		cmocka_unit_test(ends_all_and_writes_nothing),
		cmocka_unit_test(loses_nothing_among_threads),
		cmocka_unit_test(ends_all_among_threads),
		cmocka_unit_test(loses_nothing_to_a_signal),
	};

	return cmocka_run_group_tests_name("cell", tests, NULL, NULL);
}
