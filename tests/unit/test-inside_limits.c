// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "burn.h"
#include "guest.h"
#include "../refuse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* What an engine's probe cannot know it meets at the start: the next engine takes over, and says
 * why.  Limits are set in a child, which tells what it saw. */

#define PAGE 4096
#define BEFORE 1000 /* what the first two cells hold at the start */

struct finding {
	int ret;
	char engine[16];
	char why[sizeof(((struct error *)0)->text)];
	uint64_t counted, in_cells;
	bool is_plain; /* the buffer is the program's own memory */
	bool kernel_can, perf_can;
};

static struct finding *finding; /* shared with the child */

static uint64_t *new_cells(void)
{
	uint64_t *cells =
		mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 2; i++)
		cells[i] = BEFORE;
	return cells;
}

static struct inside_options options_for(uint64_t *cells)
{
	struct inside_options options = {.period_ns = PERIOD_NS};
	struct region regions[] = {burn_region(left, &cells[0], 8, CELL_WRAPS),
				   burn_region(right, &cells[1], 8, CELL_WRAPS)};
	struct region_table *table;

	/* The kernel engine takes whole pages: of the second region all the rest. */
	regions[1].count = PAGE / 8 - 1;
	if (region_table_new(regions, 2, &table))
		_exit(3);
	options.table = table;
	return options;
}

/* Not lent to a kernel's map: "... rw-s ... anon_inode:bpf-map". */
static bool is_plain(const void *page)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	bool plain = false;

	while (maps && fgets(line, sizeof(line), maps)) {
		uintptr_t start, end;
		char allowed[5];

		if (sscanf(line, "%lx-%lx %4s", &start, &end, allowed) == 3 &&
		    (uintptr_t)page >= start && (uintptr_t)page < end)
			plain = allowed[3] == 'p';
	}
	if (maps)
		(void)fclose(maps);
	return plain;
}

static void measure(const struct inside_options *options, const uint64_t *cells)
{
	struct inside_account account = {};
	const struct inside_ops *ops;
	struct inside *inside;
	struct error why;

	finding->ret = inside_start(options, NULL, &ops, &inside, &why);
	(void)snprintf(finding->why, sizeof(finding->why), "%s", why.text);
	for (char *end = finding->why; (end = strchr(end, '\n'));)
		*end = '|'; /* each print is a line */
	if (finding->ret)
		return;
	(void)snprintf(finding->engine, sizeof(finding->engine), "%s", ops->name);
	for (int i = 0; i < 200 && account.counted < 20; i++) {
		burn(left, 10);
		if (ops->account(inside, &account))
			_exit(4);
	}
	ops->stop(inside, &account);
	finding->counted = account.counted;
	for (size_t i = 0; i < PAGE / sizeof(*cells); i++)
		finding->in_cells += cells[i] - (i < 2 ? BEFORE : 0);
	finding->is_plain = is_plain(cells);
}

/* In a child, LIMIT having said what must not be enough: which engine counts, and whether its start
 * is all that stands in the way of the others. */
static void find_under(void (*limit)(void))
{
	pid_t child;

	memset(finding, 0, sizeof(*finding));
	child = fork();
	if (!child) {
		uint64_t *cells = new_cells();
		struct inside_options options = options_for(cells);

		limit();
		finding->kernel_can = !inside_kernel.probe(&options, NULL);
		finding->perf_can = !inside_perf.probe(&options, NULL);
		measure(&options, cells);
		_exit(0);
	}
	assert_int_equal(status_of(child), 0);
}

static void assert_counted_by(const char *engine)
{
	print_message("# %s counts; %s\n", finding->engine, finding->why);
	assert_int_equal(finding->ret, 0);
	assert_string_equal(finding->engine, engine);
	assert_true(finding->counted >= 20);
	assert_int_equal(finding->in_cells, finding->counted);
	assert_true(finding->is_plain);
}

static void without_events(void)
{
	if (refuse_events())
		_exit(5);
}

/* The kernel engine has put its pages in place of the buffer when its clocks are refused. */
static void without_events_the_timer_counts(void **state)
{
	find_under(without_events);
	assert_counted_by("timer");
	assert_non_null(strstr(finding->why, "kernel: "));
	assert_non_null(strstr(finding->why, "|perf: perf_event_open: Operation not permitted"));
	if (finding->kernel_can)
		assert_non_null(strstr(finding->why, "cannot start a clock"));
	else
		print_message("# SKIPPED: the kernel engine's part: %s\n", finding->why);
}

static unsigned cpus(void)
{
	return (unsigned)sysconf(_SC_NPROCESSORS_CONF);
}

/* Enough for a perf event a CPU; the kernel engine wants two descriptors each, and some for maps
 * and programs. */
static void leave_few_descriptors(void)
{
	struct rlimit limit = {4 + cpus(), 4 + cpus()};

	closefrom(3);
	if (setrlimit(RLIMIT_NOFILE, &limit))
		_exit(5);
}

static void *sleep_on(void *unused)
{
	for (;;)
		(void)pause();
	return unused;
}

/* More threads than that leaves events for. */
static void leave_few_descriptors_to_many_threads(void)
{
	pthread_t thread;

	for (unsigned i = 0; i < 4 + cpus(); i++)
		if (pthread_create(&thread, NULL, sleep_on, NULL))
			_exit(5);
	leave_few_descriptors();
}

static void with_few_descriptors_perf_counts(void **state)
{
	find_under(leave_few_descriptors);
	if (!finding->perf_can) {
		print_message("# SKIPPED: perf cannot count here: %s\n", finding->why);
		skip();
	}
	assert_counted_by("perf");
	if (finding->kernel_can)
		assert_non_null(strstr(finding->why, strerror(EMFILE)));
	else
		print_message("# SKIPPED: the kernel engine's part: %s\n", finding->why);
}

static void with_too_few_descriptors_the_timer_counts(void **state)
{
	find_under(leave_few_descriptors_to_many_threads);
	assert_counted_by("timer");
	if (finding->perf_can)
		assert_non_null(strstr(finding->why, "perf: perf_event_open: Too many open files"));
	else
		print_message("# SKIPPED: perf's part: %s\n", finding->why);
}

#define NOBODY 65534

/* Nobody may lock more memory than perf_event_mlock_kb a CPU, and measurements have taken it all
 * when perf starts no more. */
static void lock_all_memory(void)
{
	const struct rlimit none = {0, 0};
	struct inside_options options = options_for(new_cells());
	struct inside *inside;

	if (setrlimit(RLIMIT_MEMLOCK, &none) || (!geteuid() && setresuid(NOBODY, NOBODY, NOBODY)))
		_exit(5);
	for (int i = 0; i < 60; i++)
		if (inside_perf.start(&options, &inside, NULL))
			return;
}

static void without_memory_to_lock_the_timer_counts(void **state)
{
	find_under(lock_all_memory);
	if (!finding->perf_can || !strcmp(finding->engine, "perf")) {
		print_message("# SKIPPED: perf %s: %s\n",
			      finding->perf_can ? "may lock more (see perf_event_mlock_kb)"
						: "cannot count here",
			      finding->why);
		skip();
	}
	assert_counted_by("timer");
	assert_non_null(strstr(finding->why, "|perf: perf ring: Operation not permitted"));
}

static int share_finding(void **state)
{
	finding = mmap(NULL, sizeof(*finding), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	return finding == MAP_FAILED;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_events_the_timer_counts),
		cmocka_unit_test(with_few_descriptors_perf_counts),
		cmocka_unit_test(with_too_few_descriptors_the_timer_counts),
		cmocka_unit_test(without_memory_to_lock_the_timer_counts),
	};

	return cmocka_run_group_tests_name("inside_limits", tests, share_finding, NULL);
}
