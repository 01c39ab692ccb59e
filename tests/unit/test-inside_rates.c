// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../stolen.h"
#include "dice.h"
#include "engine/inside/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* That all engines tell the same of the same program, in user mode and in the kernel, and that what
 * they count and what they do not see are together the CPU time. */

#define PERIOD_NS 1003009
#define NOBODY 65534

/* A page of cells for each function, one for each byte of its text: the kernel engine wants whole
 * pages. */
#define TEXT 1024
#define WORK __attribute__((noinline, section(".text.work"), aligned(TEXT)))

static int zeros; /* /dev/zero */
static char buffer[65536];

WORK static void spin_one(unsigned turns)
{
	for (turns *= 25000; turns; turns--)
		__asm__ volatile("" ::: "memory");
}

WORK static void spin_two(unsigned turns)
{
	for (turns *= 25000; turns; turns--)
		__asm__ volatile("" : : : "memory", "cc");
}

/* In the kernel nearly all the time. */
WORK static void call(unsigned turns)
{
	for (; turns; turns--)
		(void)raw_syscall(SYS_read, zeros, (long)buffer, sizeof(buffer), 0, 0, 0);
}

WORK __attribute__((used)) static void work_end(void)
{
}

typedef void work(unsigned turns);
static work *const works[] = {spin_one, spin_two, call};
#define WORKS 3
#define CALL 2

static uint64_t now_by(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t cpu_now(void)
{
	return now_by(CLOCK_THREAD_CPUTIME_ID);
}

/* So much CPU time in FUNCTION or a little more; returns how much it was. */
static uint64_t spend(work *function, uint64_t ns)
{
	uint64_t began = cpu_now(), now;

	do {
		function(16);
		now = cpu_now();
	} while (now - began < ns);
	return now - began;
}

/* ------------------------------------------------------------------ a measurement */

struct trial {
	const struct inside_ops *ops;
	uint32_t *cells[WORKS];
	struct region_table *table;
	struct inside *inside;
	struct inside_account account;
	uint64_t wall_ns; /* when it began; then how long it was */
	uint64_t stolen;  /* so far when it began; then the most meanwhile */
	uint64_t counts[WORKS];
};

static void prepare(struct trial *trial, const struct inside_ops *ops)
{
	struct region regions[WORKS];

	*trial = (struct trial){.ops = ops};
	for (int i = 0; i < WORKS; i++) {
		trial->cells[i] = mmap(NULL, TEXT * sizeof(uint32_t), PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_ptr_not_equal(trial->cells[i], MAP_FAILED);
		regions[i] = (struct region){.offset = (uintptr_t)works[i],
					     .cells = trial->cells[i],
					     .count = TEXT,
					     .granule = 1,
					     .width = 4,
					     .full = CELL_SATURATES};
	}
	assert_int_equal(region_table_new(regions, WORKS, &trial->table), 0);
}

/* False, and why not for all to see, where this engine cannot. */
static bool start(struct trial *trial, bool this_thread)
{
	struct inside_options options = {
		.period_ns = PERIOD_NS, .this_thread = this_thread, .table = trial->table};
	struct error error = {.text = ""};

	if (trial->ops->probe(&options, &error)) {
		print_message("# SKIPPED: %s: %s\n", trial->ops->name, error.text);
		return false;
	}
	if (trial->ops->start(&options, &trial->inside, &error))
		fail_msg("%s", error.text);
	trial->wall_ns = now_by(CLOCK_MONOTONIC);
	trial->stolen = stolen_so_far();
	return true;
}

static void stop(struct trial *trial)
{
	if (trial->inside)
		trial->ops->stop(trial->inside, &trial->account);
	trial->wall_ns = now_by(CLOCK_MONOTONIC) - trial->wall_ns;
	trial->stolen = stolen_since(trial->stolen);
	for (int i = 0; i < WORKS; i++) {
		for (int cell = 0; cell < TEXT; cell++)
			trial->counts[i] += trial->cells[i][cell];
		(void)munmap(trial->cells[i], TEXT * sizeof(uint32_t));
	}
	region_table_free(trial->table);
}

/* ------------------------------------------------------------------ tests */

/* Pieces of random kind and length, to keep step with no clock.  The shares of CPU time are added
 * to SPENT. */
static void work_at_random(uint64_t spent[WORKS], uint64_t ns)
{
	uint64_t dice = cpu_now() ^ (uint64_t)getpid() << 32, sum = 0;

	while (sum < ns) {
		uint64_t kind = dice_below(&dice, WORKS);
		uint64_t took = spend(works[kind], 200000 + dice_below(&dice, 2000000));

		spent[kind] += took;
		sum += took;
	}
}

/* The kernel's own tick, which looks at timer's. */
static double kernel_tick_ns(void)
{
	struct timespec tick;

	assert_int_equal(clock_getres(CLOCK_MONOTONIC_COARSE, &tick), 0);
	return (double)tick.tv_nsec;
}

/* A count of N independent draws that fall here with the chance P is beyond 5.5 standard deviations
 * in 3.8e-8 of the cases (normal; N P is above 100 everywhere here), in one of nine counts
 * in 3.5e-7. Ticks a period apart are draws that are at most as scattered as independent ones, for
 * the work is in pieces of random order.  timer's draws are its signals, one in a kernel's tick;
 * half of them are taken for independent.  One part in 100 is for the clock's system call between
 * the pieces of work, which is in SPENT and in no cell; and ticks of stolen time may all have come
 * in one function. */
static void assert_shares(const struct trial *trial, const uint64_t spent[WORKS])
{
	double all = 0, counted = 0, draws;

	for (int i = 0; i < WORKS; i++) {
		all += (double)spent[i];
		counted += (double)trial->counts[i];
	}
	draws = trial->ops == &inside_timer ? all / kernel_tick_ns() / 2 : counted;
	for (int i = 0; i < WORKS; i++) {
		double truth = (double)spent[i] / all;
		double share = (double)trial->counts[i] / counted;
		double stolen = (double)trial->stolen / PERIOD_NS / counted;
		double play = 5.5 * sqrt(truth * (1 - truth) / draws) + 0.01 + stolen;

		print_message("# %s: function %d: share %.4f, truth %.4f, play %.4f\n",
			      trial->ops->name, i, share, truth, play);
		if (fabs(share - truth) >= play)
			fail_msg("off limits");
	}
}

/* All at once, on the very same run. */
static void all_engines_tell_the_same(void **state)
{
	const struct inside_ops *const engines[] = {&inside_kernel, &inside_perf, &inside_timer};
	struct trial trials[3];
	uint64_t spent[WORKS] = {0};
	bool on[3];

	for (int i = 0; i < 3; i++) {
		prepare(&trials[i], engines[i]);
		on[i] = start(&trials[i], /* this_thread= */ false);
	}
	work_at_random(spent, 4000000000);
	for (int i = 0; i < 3; i++) {
		stop(&trials[i]);
		if (on[i])
			assert_shares(&trials[i], spent);
	}
}

/* The kernel engine's clocks are the CPUs', each tick of which finds this program or another that
 * shares the CPU: as many are ours as are drawn with the chance of our share.  Of THREADS that want
 * CPUs all the time, 5.5 standard deviations of that: none on a machine of our own, and beyond it
 * in 3.8e-8 of the cases. */
static double draws_of(const struct trial *trial, double threads)
{
	double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN);
	double wanted = (double)trial->wall_ns * (threads < cpus ? threads : cpus);
	double others = 1 - (double)trial->account.cpu_ns / wanted;

	if (trial->ops != &inside_kernel || others < 0)
		return 0;
	return 5.5 * sqrt((double)trial->account.cpu_ns / PERIOD_NS * others);
}

/* Within one in 200 and what was stolen, and LACKING ticks that may be yet to come. */
static void assert_rate(const struct trial *trial, double threads, double lacking)
{
	double due = (double)trial->account.cpu_ns / PERIOD_NS;
	double ticks = (double)trial->account.ticks;
	double play = due * 0.005 + draws_of(trial, threads) + (double)trial->stolen / PERIOD_NS;

	print_message("# %s: %.0f ticks of %.1f, play %.1f, %.1f more may be lacking\n",
		      trial->ops->name, ticks, due, play, lacking);
	if (ticks <= due - play - lacking || ticks >= due + play + 2)
		fail_msg("off limits");
}

static void ticks_are_cpu_time_in_the_kernel_too(void **state)
{
	for (int i = 0; inside_list[i]; i++) {
		double tail = inside_list[i] == &inside_timer ? 2 * kernel_tick_ns() : PERIOD_NS;
		struct trial trial;
		bool on;

		prepare(&trial, inside_list[i]);
		on = start(&trial, /* this_thread= */ true);
		(void)spend(call, 1000000000);
		stop(&trial);
		if (!on)
			continue;
		assert_rate(&trial, 1, tail / PERIOD_NS + 2);
		assert_true(trial.counts[CALL] > trial.account.ticks / 100 * 95);
	}
}

/* How much more than CPUs there are. */
#define THREADS 8

static void *spend_in_thread(void *argument)
{
	(void)spend(spin_one, 500000000);
	return NULL;
}

/* Of each thread the last signal of timer's may come eight kernel's ticks before its end, for those
 * ticks may meet others (measured: up to three on average), and the last tick of perf's a period
 * before it on each CPU; CPU time is all there is to go by. */
static void more_threads_than_cpus(void **state)
{
	double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN);

	for (int i = 0; inside_list[i]; i++) {
		double tail =
			inside_list[i] == &inside_timer ? 8 * kernel_tick_ns() : cpus * PERIOD_NS;
		pthread_t threads[THREADS];
		struct trial trial;
		bool on;

		prepare(&trial, inside_list[i]);
		on = start(&trial, /* this_thread= */ false);
		for (int j = 0; j < THREADS; j++)
			assert_int_equal(pthread_create(&threads[j], NULL, spend_in_thread, NULL),
					 0);
		for (int j = 0; j < THREADS; j++)
			assert_int_equal(pthread_join(threads[j], NULL), 0);
		stop(&trial);
		if (on)
			assert_rate(&trial, THREADS, THREADS * tail / PERIOD_NS + 2);
	}
}

/* A process that may not see the kernel's ticks: 0, or 77 where it may not even see its own. */
static int as_nobody(void)
{
	struct inside_options options = {.period_ns = PERIOD_NS};
	uint64_t user, kernel, seen;
	struct trial trial;

	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		return 77;
	prepare(&trial, &inside_perf);
	options.table = trial.table;
	if (inside_perf.probe(&options, NULL))
		return 77;
	if (!start(&trial, /* this_thread= */ true))
		return 1;
	user = spend(spin_one, 400000000);
	kernel = spend(call, 400000000);
	stop(&trial);
	(void)printf(
		"# nobody: %ju ticks, %.1f due in user mode, %.1f in the kernel, %.1f stolen\n",
		(uintmax_t)trial.account.ticks, (double)user / PERIOD_NS,
		(double)kernel / PERIOD_NS, (double)trial.stolen / PERIOD_NS);
	/* What is seen is user mode's, a tenth of the calls at most, and no more. */
	seen = trial.account.ticks * PERIOD_NS;
	if ((double)(seen + trial.stolen) < 0.95 * (double)user)
		return 2;
	if ((double)seen > (double)(user + kernel / 5 + trial.stolen + 2 * PERIOD_NS))
		return 3;
	/* So the rest can be told. */
	return trial.account.cpu_ns >= user + kernel ? 0 : 4;
}

static int paranoid(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 0;

	if (!file || fscanf(file, "%d", &level) != 1)
		level = 4;
	if (file)
		(void)fclose(file);
	return level;
}

static void who_may_not_see_the_kernel_knows_what_is_missing(void **state)
{
	int status;
	pid_t pid;

	if (geteuid() != 0 || paranoid() != 2) {
		print_message("# SKIPPED: needs root to become nobody, and "
			      "kernel.perf_event_paranoid = 2\n");
		skip();
	}
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		int ret = as_nobody();

		(void)fflush(stdout);
		_exit(ret);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static int open_zeros(void **state)
{
	zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	return zeros < 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_engines_tell_the_same),
		cmocka_unit_test(ticks_are_cpu_time_in_the_kernel_too),
		cmocka_unit_test(more_threads_than_cpus),
		cmocka_unit_test(who_may_not_see_the_kernel_knows_what_is_missing),
	};

	return cmocka_run_group_tests_name("inside_rates", tests, open_zeros, NULL);
}
