// SPDX-License-Identifier: BSD-2-Clause
/* The kernel engine inside a process: how many ticks, whose, and in which cell. */
#include <pthread.h>
#include <sched.h>
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

/* Who waits for a CPU gets it when an interrupt comes, that of the clock in question more often
 * than others: runs would begin behind a tick, and what is shorter than a period would have none. A
 * real-time thread, and the engine's that it starts, do not wait. */
static void set_policy(int policy)
{
	struct sched_param param = {.sched_priority = policy == SCHED_FIFO};

	if (!sched_setscheduler(0, policy, &param))
		return;
	print_message("# SKIPPED: sched_setscheduler: %s: needs CAP_SYS_NICE, and a control group "
		      "with real-time CPU time\n",
		      strerror(errno));
	skip();
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

	set_policy(SCHED_FIFO);
	for (int i = 0; i < 100; i++) {
		struct run run;

		begin(&run, &region, 1, period, true);
		watched_spin(&truth, spin_one, 0.0005);
		end(&run);
		if (!i)
			total.stolen_before = run.stolen_before;
		total.paused += run.paused;
	}
	set_policy(SCHED_OTHER);
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

/* What lies behind a region's end is nobody's, though its cells would go on. */
static void a_region_ends_where_its_text_does(void **state)
{
	const uint64_t period = period_near(4999);
	uint32_t *cells = pages(2 * PAGE);
	struct region region = region_of(spin_one, cells);
	struct truth one = {}, three = {};
	struct run run;

	region.count = 2 * PAGE / sizeof(uint32_t);
	region.end = (uintptr_t)spin_one + 1024;
	begin(&run, &region, 1, period, true);
	watched_spin(&one, spin_one, 0.05);
	watched_spin(&three, spin_three, 0.1);
	end(&run);
	assert_ticks(run.account.counted, one.seconds, one.runs, period, &run);
	assert_int_equal(sum(cells, 1024), run.account.counted);
	/* What is behind the end, and what looks at the time meanwhile. */
	assert_true((double)run.account.outside >
		    (0.9e9 * three.seconds - (double)run.paused) / (double)period);
	munmap(cells, 2 * PAGE);
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
		cmocka_unit_test(a_region_ends_where_its_text_does),
		cmocka_unit_test(two_measurements_at_once),
		cmocka_unit_test(lack_of_privilege_is_said),
		cmocka_unit_test(impossible_periods_are_refused),
	};

	return cmocka_run_group_tests(tests, find_privilege, NULL);
}
