// SPDX-License-Identifier: BSD-2-Clause
/* The kernel engine over this very program, which spins or maps and unmaps when told to. */
#include "../stolen.h"
#include "engine/kernel/private.h"
#include "target/module.h"
#include "target/spawn.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define RATE 4999

/* ------------------------------------------------------------------ what is measured */

static uint64_t cpu_now(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void spin(uint64_t ns)
{
	uint64_t until = cpu_now(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (cpu_now(CLOCK_THREAD_CPUTIME_ID) < until)
		for (unsigned i = 0; i < 20000; i++)
			__asm__ volatile("");
}

/* The memory map changes as fast as it can while others tick in it. */
static void *remap(void *stop)
{
	while (!*(volatile int *)stop) {
		void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (page != MAP_FAILED)
			munmap(page, 4096);
	}
	return NULL;
}

static int be_target(const char *what)
{
	volatile int stop = 0;
	pthread_t thread;

	if (!strcmp(what, "spin")) {
		spin(300000000);
		return 0;
	}
	if (pthread_create(&thread, NULL, remap, (void *)&stop))
		return 1;
	spin(300000000);
	stop = 1;
	return pthread_join(thread, NULL);
}

/* ------------------------------------------------------------------ how */

struct run {
	struct histogram histogram;
	struct kernel_counters counters;
	struct engine_progress progress;
	uint64_t stolen_before;
};

static struct kernel_counters counters_of(struct engine *engine)
{
	struct kernel_counters sum;

	assert_int_equal(kernel_counters_sum(engine, &sum), 0);
	return sum;
}

static struct run measure(const char *what, const struct engine_options *asked)
{
	char *argv[] = {"/proc/self/exe", (char *)what, NULL};
	struct engine_options options = *asked;
	struct run run = {.stolen_before = stolen_so_far()};
	struct engine *engine;
	struct spawned child;
	struct error why;
	siginfo_t ended;
	sigset_t mask;

	if (!options.period_ns)
		options.period_ns = clock_odd_period(1000000000 / RATE);
	options.redraws = true;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	assert_int_equal(spawn_prepare(&child, argv, &mask, false, &why), 0);
	assert_int_equal(kernel_engine.open(&options, &engine, &why), 0);
	assert_int_equal(kernel_engine.start(engine, &child.pid, 1, &why), 0);
	assert_int_equal(spawn_release(&child, argv[0], NULL, &why), 0);
	assert_int_equal(kernel_engine.redraw(engine), 0);
	assert_int_equal(waitid(P_PID, (id_t)child.pid, &ended, WEXITED | WNOWAIT), 0);
	assert_int_equal(kernel_engine.progress(engine, &run.progress), 0);
	assert_int_equal(kernel_engine.read(engine, true, &run.histogram, &why), 0);
	run.counters = counters_of(engine);
	kernel_engine.close(engine);
	assert_int_equal(waitpid(child.pid, NULL, 0), child.pid);
	return run;
}

static void assert_identity(const struct run *run)
{
	assert_true(run->histogram.fired > 0);
	assert_true(histogram_charged(&run->histogram) == run->histogram.fired);
	assert_int_equal(run->histogram.not_followed, 0);
}

/* A busy CPU delivers its ticks; each stretch of running begins and ends within a period, so the
 * count is off by less than one a stretch.  Late interrupts of a virtual machine are not made up,
 * hence the 5 %, and it makes some up (stolen.h): what is tested is that nothing of it is far off,
 * like a factor of HZ. */
static void assert_cpu_time(const struct run *run)
{
	double due = (double)run->histogram.cpu_ns;
	double off = fabs((double)run->histogram.fired_ns - due);

	if (off >= 0.05 * due && off >= 0.05 * due + (double)stolen_since(run->stolen_before))
		fail_msg("off limits: ticks are %.3f of the CPU time", off / due);
}

/* ------------------------------------------------------------------ tests */

static void ticks_agree_with_cpu_time(void **state)
{
	struct run run = measure("spin", &(struct engine_options){});

	(void)state;
	assert_identity(&run);
	assert_true(run.histogram.cpu_ns > 300000000);
	assert_cpu_time(&run);
	assert_true(run.progress.ticks <= run.histogram.fired);
	assert_true(run.progress.cells >= 1);
	histogram_done(&run.histogram);
}

static const struct histogram_file *program_of(const struct histogram *histogram)
{
	const struct histogram_file *found = NULL;

	for (size_t i = 0; i < histogram->file_count; i++) {
		if (!histogram->files[i].is_program)
			continue;
		assert_null(found);
		found = &histogram->files[i];
	}
	assert_non_null(found);
	return found;
}

static void the_program_is_known_by_path_identity_and_build_id(void **state)
{
	struct run run = measure("spin", &(struct engine_options){});
	const struct histogram_file *file = program_of(&run.histogram);
	char self[PATH_MAX] = "", build_id[2 * BUILD_ID_MAX + 1] = "";
	struct module module;

	(void)state;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_string_equal(file->path, self);
	assert_int_equal(file->build_id_size, BUILD_ID_MAX);
	for (size_t i = 0; i < BUILD_ID_MAX; i++)
		(void)sprintf(build_id + 2 * i, "%02x", file->build_id[i]);
	assert_int_equal(module_inspect(self, &file->identity, build_id, &module), 0);
	assert_int_equal(module.state, MODULE_SAME);
	module_done(&module);
	assert_int_equal(module_inspect(self, &file->identity, "", &module), 0);
	assert_int_equal(module.state, MODULE_SAME);
	module_done(&module);
	histogram_done(&run.histogram);
}

static void a_changing_map_resolves_by_the_tree(void **state)
{
	struct run run = measure("churn", &(struct engine_options){});

	(void)state;
	assert_identity(&run);
	assert_true(run.counters.vma_walks > 0);
	/* A walk may meet the map in the middle of a change and ask again under the lock. */
	assert_true(run.counters.vma_finds * 100 <= run.histogram.fired);
	assert_true(run.histogram.unresolved[UNRESOLVED_MAP_BUSY] * 1000 <= run.histogram.fired);
	histogram_done(&run.histogram);
}

static void a_map_is_asked_under_its_lock_without_the_tree(void **state)
{
	struct run run = measure("churn", &(struct engine_options){.no_tree_walk = true});
	struct run calm = measure("spin", &(struct engine_options){.no_tree_walk = true});

	(void)state;
	assert_identity(&run);
	assert_int_equal(run.counters.vma_walks, 0);
	assert_true(run.counters.vma_finds > 0);
	assert_identity(&calm);
	assert_true(calm.counters.vma_finds > 0);
	assert_int_equal(calm.histogram.unresolved[UNRESOLVED_NO_MAPPING], 0);
	assert_true(program_of(&calm.histogram)->is_program);
	histogram_done(&run.histogram);
	histogram_done(&calm.histogram);
}

static void a_full_table_overflows_into_its_files(void **state)
{
	struct run run = measure("churn", &(struct engine_options){.cell_limit = 4});
	uint64_t overflow = 0;

	(void)state;
	assert_identity(&run);
	assert_true(run.histogram.cell_count <= 4);
	for (size_t i = 0; i < run.histogram.file_count; i++)
		overflow += run.histogram.files[i].overflow;
	assert_true(overflow > 0);
	/* The kernel's addresses are in no file. */
	assert_true(run.histogram.unresolved[UNRESOLVED_CELLS_FULL] > 0);
	histogram_done(&run.histogram);
}

static void threads_are_kept_apart(void **state)
{
	struct run run = measure("churn", &(struct engine_options){.by_thread = true});

	(void)state;
	assert_identity(&run);
	assert_int_equal(run.histogram.task_total, 2);
	assert_int_equal(run.histogram.task_count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_true(run.histogram.tasks[i].pid && run.histogram.tasks[i].tid);
	assert_int_equal(run.histogram.tasks[0].pid, run.histogram.tasks[1].pid);
	assert_int_not_equal(run.histogram.tasks[0].tid, run.histogram.tasks[1].tid);
	for (size_t i = 0; i < run.histogram.cell_count; i++)
		assert_true(run.histogram.cells[i].task < 2);
	histogram_done(&run.histogram);
}

static void a_task_clock_counts_too(void **state)
{
	struct run run = measure("spin", &(struct engine_options){.clock = CLOCK_TASK});

	(void)state;
	assert_identity(&run);
	assert_cpu_time(&run);
	histogram_done(&run.histogram);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_agree_with_cpu_time),
		cmocka_unit_test(the_program_is_known_by_path_identity_and_build_id),
		cmocka_unit_test(a_changing_map_resolves_by_the_tree),
		cmocka_unit_test(a_map_is_asked_under_its_lock_without_the_tree),
		cmocka_unit_test(a_full_table_overflows_into_its_files),
		cmocka_unit_test(threads_are_kept_apart),
		cmocka_unit_test(a_task_clock_counts_too),
	};
	struct error why;

	/* Not by way of exit(), where a sanitizer would start a thread of its own to look around.
	 */
	if (argc > 1)
		_exit(be_target(argv[1]));
	if (kernel_engine.probe(&why)) {
		printf("1..0 # SKIP %s\n", why.text);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
