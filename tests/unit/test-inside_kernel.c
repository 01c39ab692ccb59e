// SPDX-License-Identifier: BSD-2-Clause
/* The kernel engine inside a process: how many ticks, whose, and in which cell. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "inside.h"

SPINS SPIN(static, spin_three);
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

/* ------------------------------------------------------------------ how many, and where */

static void split_is_exact(void **state)
{
	const uint64_t period = period_near(4999);
	uint32_t *cells = pages(2 * PAGE);
	struct region regions[] = {region_of(spin_three, cells), region_of(spin_one, cells + 1024)};
	struct truth three = {"three"}, one = {"one"};
	struct run run;

	begin(&run, regions, 2, period, false);
	for (int turn = 0; turn < 40; turn++) {
		watched_spin(&three, spin_three, 0.015 * truth_jitter());
		watched_spin(&one, spin_one, 0.005 * truth_jitter());
	}
	end(&run);
	assert_int_equal(run.account.counted, sum(cells, 2048));
	assert_ticks(sum(cells, 1024), three.seconds, three.runs, period, &run);
	assert_ticks(sum(cells + 1024, 1024), one.seconds, one.runs, period, &run);
	assert_ticks(run.account.ticks, (double)run.account.cpu_ns * 1e-9, three.runs + one.runs,
		     period, &run);
	munmap(cells, 2 * PAGE);
}

/* Time in the kernel is charged to the call. */
static void system_time_is_charged_to_the_call(void **state)
{
	const size_t size = 1 << 20;
	const uint64_t period = period_near(2999);
	uint32_t *cells = pages(PAGE);
	char *buffer = pages(size);
	struct region region = region_of((spin *)(void *)syscall, cells);
	double start, seconds;
	struct run run;
	FILE *zero = fopen("/dev/zero", "re");

	assert_non_null(zero);
	begin(&run, &region, 1, period, true);
	start = truth_clock();
	while (truth_clock() < start + 0.2)
		assert_int_equal(syscall(SYS_read, fileno(zero), buffer, size), size);
	seconds = truth_clock() - start;
	end(&run);
	assert_true((double)run.account.counted > 0.5 * seconds * 1e9 / (double)period);
	assert_int_equal(run.account.counted, sum(cells, 1024));
	(void)fclose(zero);
	munmap(buffer, size);
	munmap(cells, PAGE);
}

static void come_and_go(size_t threads)
{
	double seconds = 0.002;

	for (size_t i = 0; i < threads; i++) {
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, spin_thread, &seconds), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
}

static void threads_come_and_go(void **state)
{
	const uint64_t period = period_near(997);
	uint64_t *cells = pages(PAGE);
	struct region region = catch_all(cells, 8, CELL_WRAPS);
	struct run run;

	begin(&run, &region, 1, period, false);
	come_and_go(100);
	end(&run);
	assert_true(run.account.cpu_ns > 50000000);
	assert_ticks(run.account.ticks, (double)run.account.cpu_ns * 1e-9, 200, period, &run);
	assert_int_equal(cells[0], run.account.counted);
	munmap(cells, PAGE);
}

static void one_thread_if_so_asked(void **state)
{
	const uint64_t period = period_near(4999);
	uint64_t *cells = pages(PAGE);
	struct region region = catch_all(cells, 8, CELL_SATURATES);
	struct truth truth = {};
	pthread_t other;
	double seconds = 0.2;
	struct run run;

	begin(&run, &region, 1, period, true);
	assert_int_equal(pthread_create(&other, NULL, spin_thread, &seconds), 0);
	watched_spin(&truth, spin_one, 0.1);
	assert_int_equal(pthread_join(other, NULL), 0);
	end(&run);
	assert_ticks(cells[0], (double)run.account.cpu_ns * 1e-9, truth.runs, period, &run);
	assert_true((double)run.account.cpu_ns < 1.2e9 * truth.seconds);
	munmap(cells, PAGE);
}

static void ten_thousand_regions(void **state)
{
	enum { REGIONS = 10000, CELLS = 16 };
	static struct region regions[REGIONS];
	const size_t size = (REGIONS * CELLS * sizeof(uint16_t) + PAGE - 1) / PAGE * PAGE;
	const uint64_t period = period_near(4999);
	uint16_t *cells = pages(size);
	uint64_t before = 0, after = 0;
	struct truth truth = {};
	struct run run;

	for (size_t i = 0; i < REGIONS; i++)
		regions[i] = (struct region){
			.offset = (uintptr_t)spin_one - 5000 * CELLS + i * CELLS,
			.cells = cells + i * CELLS,
			.count = i == REGIONS - 1 ? size / 2 - i * CELLS : CELLS,
			.granule = 1,
			.width = 2,
			.full = CELL_SATURATES,
		};
	begin(&run, regions, REGIONS, period, true);
	watched_spin(&truth, spin_one, 0.2);
	end(&run);
	for (size_t i = 0; i < (size_t)5000 * CELLS; i++)
		before += cells[i];
	for (size_t i = (size_t)5000 * CELLS; i < (size_t)(5000 + 1024 / CELLS) * CELLS; i++)
		after += cells[i];
	assert_ticks(after, truth.seconds, truth.runs, period, &run);
	assert_true(before + after <= run.account.counted);
	munmap(cells, size);
}

/* Each is shorter than a period, and together they have the ticks due: a fair chance of one from
 * the first moment on. */
static void short_measurements_have_their_share(void **state)
{
	const uint64_t period = period_near(1000);
	uint32_t *cells = pages(PAGE);
	struct region region = region_of(spin_one, cells);
	struct truth truth = {};
	struct run total = {};

	for (int i = 0; i < 100; i++) {
		struct run run;

		begin(&run, &region, 1, period, true);
		watched_spin(&truth, spin_one, 0.0005);
		end(&run);
		total.stolen += run.stolen;
		total.paused += run.paused;
	}
	assert_ticks(sum(cells, 1024), truth.seconds, truth.runs, period, &total);
	munmap(cells, PAGE);
}

static void regions_may_share_cells(void **state)
{
	const uint64_t period = period_near(4999);
	uint32_t *cells = pages(PAGE);
	struct region regions[] = {region_of(spin_one, cells), region_of(spin_three, cells)};
	struct truth one = {}, three = {};
	struct run run;

	regions[1].cells = cells + 512;
	regions[1].count = 512;
	begin(&run, regions, 2, period, true);
	watched_spin(&one, spin_one, 0.05);
	watched_spin(&three, spin_three, 0.15);
	end(&run);
	assert_ticks(sum(cells, 1024), one.seconds + three.seconds, one.runs + three.runs, period,
		     &run);
	assert_ticks(sum(cells + 512, 512), three.seconds, three.runs, period, &run);
	munmap(cells, PAGE);
}

static void two_measurements_at_once(void **state)
{
	const uint64_t quick = period_near(4999), slow = period_near(997);
	uint32_t *cells = pages(2 * PAGE);
	struct region first = region_of(spin_one, cells),
		      second = region_of(spin_one, cells + 1024);
	struct truth truth = {};
	struct run one, two;

	begin(&one, &first, 1, quick, true);
	begin(&two, &second, 1, slow, true);
	assert_refused(cells, PAGE / 2, -EFAULT, "shared");
	watched_spin(&truth, spin_one, 0.2);
	end(&two);
	end(&one);
	assert_ticks(sum(cells, 1024), truth.seconds, truth.runs, quick, &one);
	assert_ticks(sum(cells + 1024, 1024), truth.seconds, truth.runs, slow, &two);
	munmap(cells, 2 * PAGE);
}

/* ------------------------------------------------------------------ the cell */

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
	end(&run);
	assert_int_equal(cells[0], (uint16_t)run.account.counted);
	assert_int_equal(cells[1], scribe.steps);
	munmap(cells, PAGE);
}

/* ------------------------------------------------------------------ refusals */

static void lack_of_privilege_is_said(void **state)
{
	struct inside_options options = {.period_ns = 1000000};
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct region region = {.granule = 1, .width = 2};
		struct region_table *table;
		struct error error = {};

		if (region_table_new(&region, 1, &table) || setresuid(65534, 65534, 65534))
			_exit(1);
		options.table = table;
		if (inside_kernel.probe(&options, &error) != -EPERM)
			_exit(2);
		_exit(strstr(error.text, "CAP_BPF and CAP_PERFMON") ? 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void impossible_periods_are_refused(void **state)
{
	const uint64_t periods[] = {0, 9999, 1000000001};
	struct region_table *table;
	struct error error;

	assert_int_equal(region_table_new(NULL, 0, &table), 0);
	for (size_t i = 0; i < 3; i++) {
		struct inside_options options = {.period_ns = periods[i], .table = table};
		struct inside *inside;

		assert_int_equal(inside_kernel.probe(&options, &error), -ERANGE);
		assert_int_equal(inside_kernel.start(&options, &inside, &error), -ERANGE);
	}
	region_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(split_is_exact),
		cmocka_unit_test(system_time_is_charged_to_the_call),
		cmocka_unit_test(threads_come_and_go),
		cmocka_unit_test(one_thread_if_so_asked),
		cmocka_unit_test(ten_thousand_regions),
		cmocka_unit_test(short_measurements_have_their_share),
		cmocka_unit_test(regions_may_share_cells),
		cmocka_unit_test(two_measurements_at_once),
		cmocka_unit_test(cells_wrap),
		cmocka_unit_test(cells_saturate),
		cmocka_unit_test(svr4_ends_at_32767),
		cmocka_unit_test(neighbours_do_not_disturb),
		cmocka_unit_test(lack_of_privilege_is_said),
		cmocka_unit_test(impossible_periods_are_refused),
	};

	return cmocka_run_group_tests(tests, find_privilege, NULL);
}
