// SPDX-License-Identifier: BSD-2-Clause
/* The kernel engine inside a process: the cell that it adds to. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "inside.h"

SPINS SPIN(static __attribute__((used)), spin_end);

static void *spin_thread(void *seconds)
{
	spin_for(*(double *)seconds);
	return NULL;
}

/* Two threads at once. */
static void spin_two(double seconds)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, spin_thread, &seconds), 0);
	spin_for(seconds);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/* What one cell of each width holds after two threads have ticked in it at 20 kHz. */
static struct run hammer(void *cells, unsigned width, enum cell_full full)
{
	struct region region = catch_all(cells, width, full);
	struct run run;

	begin(&run, &region, 1, period_near(20000), false);
	spin_two(0.25);
	end(&run);
	assert_true(run.account.ticks > 0);
	return run;
}

static void cells_wrap(void **state)
{
	uint16_t *narrow = pages(PAGE);
	uint8_t *byte = (uint8_t *)narrow;
	struct run run;

	narrow[0] = 65000;
	narrow[1] = 7;
	run = hammer(narrow, 2, CELL_WRAPS);
	assert_true(run.account.counted > 536);
	assert_int_equal(run.account.counted, run.account.ticks);
	assert_int_equal(narrow[0], (uint16_t)(65000 + run.account.counted));
	assert_int_equal(narrow[1], 7);

	byte[0] = 255;
	run = hammer(byte, 1, CELL_WRAPS);
	assert_int_equal(byte[0], (uint8_t)(255 + run.account.counted));
	munmap(narrow, PAGE);
}

static void cells_saturate(void **state)
{
	uint64_t *cells = pages(PAGE);
	uint16_t *narrow = (uint16_t *)cells;
	struct run run;

	narrow[0] = 65000;
	run = hammer(narrow, 2, CELL_SATURATES);
	assert_int_equal(narrow[0], 65535);
	assert_int_equal(run.account.counted, 535);
	assert_int_equal(run.account.saturated, run.account.ticks - 535);
	assert_false(run.account.ended);

	((uint32_t *)cells)[0] = UINT32_MAX - 100;
	run = hammer(cells, 4, CELL_SATURATES);
	assert_int_equal(((uint32_t *)cells)[0], UINT32_MAX);
	assert_int_equal(run.account.counted, 100);

	cells[0] = UINT64_MAX - 100;
	run = hammer(cells, 8, CELL_SATURATES);
	assert_true(cells[0] == UINT64_MAX);
	assert_int_equal(run.account.counted, 100);
	munmap(cells, PAGE);
}

static void svr4_ends_at_32767(void **state)
{
	uint16_t *cells = pages(PAGE);
	struct run run;

	cells[0] = 32000;
	run = hammer(cells, 2, CELL_ENDS_ALL);
	assert_int_equal(cells[0], 32767);
	assert_int_equal(run.account.counted, 767);
	assert_true(run.account.ended);
	/* Each processor may have had one tick under way at the end. */
	assert_in_range(run.account.saturated, 1, sysconf(_SC_NPROCESSORS_CONF));
	munmap(cells, PAGE);
}

struct scribe {
	volatile uint16_t *cell;
	volatile bool stop;
	uint16_t steps;
};

static void *scribble(void *context)
{
	struct scribe *scribe = context;

	while (!scribe->stop) {
		*scribe->cell = *scribe->cell + 1;
		scribe->steps++;
	}
	return NULL;
}

/* The program writes to the other half of the word, with plain instructions. */
static void neighbours_do_not_disturb(void **state)
{
	uint16_t *cells = pages(PAGE);
	struct region region = catch_all(cells, 2, CELL_WRAPS);
	struct scribe scribe = {.cell = &cells[1]};
	pthread_t thread;
	struct run run;

	begin(&run, &region, 1, period_near(20000), false);
	assert_int_equal(pthread_create(&thread, NULL, scribble, &scribe), 0);
	spin_for(0.3);
	scribe.stop = true;
	assert_int_equal(pthread_join(thread, NULL), 0);
	/* The scribe may win CELL_TRIES times in a row; such a tick is counted as lost. */
	stop(&run);
	assert_true(run.account.lost < run.account.counted / 10);
	assert_int_equal(cells[0], (uint16_t)run.account.counted);
	assert_int_equal(cells[1], scribe.steps);
	munmap(cells, PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_wrap),
		cmocka_unit_test(cells_saturate),
		cmocka_unit_test(svr4_ends_at_32767),
		cmocka_unit_test(neighbours_do_not_disturb),
	};

	return cmocka_run_group_tests(tests, find_privilege, NULL);
}
