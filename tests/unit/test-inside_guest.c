// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "burn.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* How the engines behave in the program whose guests they are. */

/* What the program has that a measurement might leave something of. */
struct belongings {
	size_t descriptors, threads, timers, handlers;
};

static size_t entries(const char *path)
{
	DIR *folder = opendir(path);
	size_t count = 0;

	assert_non_null(folder);
	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static size_t timers(void)
{
	FILE *file = fopen("/proc/self/timers", "re");
	size_t count = 0;
	char line[256];

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		count += !strncmp(line, "ID:", 3);
	fclose(file);
	return count;
}

/* A handler on a real-time signal: ours, for the test puts none there. */
static int handled_signal(void)
{
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
		struct sigaction action;

		if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_DFL)
			return number;
	}
	return 0;
}

static struct belongings take_stock(void)
{
	return (struct belongings){
		.descriptors = entries("/proc/self/fd"),
		.threads = entries("/proc/self/task"),
		.timers = timers(),
		.handlers = handled_signal() != 0,
	};
}

static void start_and_stop(const struct inside_ops *ops, int times)
{
	uint64_t cells[2];

	for (int i = 0; i < times; i++) {
		struct burning burning = start(ops, cells, /* this_thread= */ i % 2);

		stop(&burning);
	}
}

/* A sanitizer has a thread of its own as soon as there is a second one: hence the first time. */
static void nothing_is_left_by(const struct inside_ops *ops)
{
	struct belongings before, after;

	start_and_stop(ops, 1);
	before = take_stock();
	start_and_stop(ops, 1000);
	after = take_stock();
	assert_memory_equal(&before, &after, sizeof(before));
}
EACH(nothing_is_left)

static void descriptors_are_not_the_programs_by(const struct inside_ops *ops)
{
	size_t before = entries("/proc/self/fd");
	uint64_t cells[2];
	struct burning burning = start(ops, cells, /* this_thread= */ false);

	assert_int_equal(entries("/proc/self/fd"), before);
	stop(&burning);
}
EACH(descriptors_are_not_the_programs)

static unsigned allocations; /* atomic */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	__atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	__atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	__atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
	return __real_realloc(old, size);
}

static void nothing_is_allocated_by(const struct inside_ops *ops)
{
	uint64_t cells[2];
	struct burning burning = start(ops, cells, /* this_thread= */ false);
	unsigned before = __atomic_load_n(&allocations, __ATOMIC_RELAXED);

	assert_true(burn_until(&burning, left, 50));
	assert_int_equal(__atomic_load_n(&allocations, __ATOMIC_RELAXED), before);
	stop(&burning);
}
EACH(nothing_is_allocated)

static void *new_page(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	return page;
}

static struct inside_account spoil(const struct inside_ops *ops, uint32_t *page, int protection)
{
	struct region region = burn_region(left, page, 4, CELL_WRAPS);
	struct burning burning = start_regions(ops, &region, 1, /* this_thread= */ false);

	assert_true(burn_until(&burning, left, 20));
	assert_false(account(&burning).ended);
	if (protection < 0)
		assert_int_equal(munmap(page, 4096), 0);
	else
		assert_int_equal(mprotect(page, 4096, protection), 0);
	for (int i = 0; i < 1000 && !account(&burning).ended; i++)
		burn(left, 10);
	return stop(&burning);
}

static void an_unmapped_buffer_ends_it_by(const struct inside_ops *ops)
{
	struct inside_account last = spoil(ops, new_page(), -1);

	assert_true(last.ended && last.counted > 0 && last.lost > 0);
}
EACH(an_unmapped_buffer_ends_it)

static void a_readonly_buffer_ends_it_by(const struct inside_ops *ops)
{
	uint32_t *page = new_page();
	struct inside_account last = spoil(ops, page, PROT_READ);

	assert_true(last.ended && last.lost > 0);
	assert_int_equal(*page, last.counted);
	munmap(page, 4096);
}
EACH(a_readonly_buffer_ends_it)

static unsigned own_signals, foreign_signals;

static void own_handler(int number, siginfo_t *info, void *context)
{
	if (info->si_code == SI_KERNEL)
		own_signals++;
	else
		foreign_signals++;
}

static void sigprof_is_the_programs_by(const struct inside_ops *ops)
{
	struct sigaction action = {.sa_sigaction = own_handler, .sa_flags = SA_SIGINFO}, after;
	struct itimerval every = {{0, 10000}, {0, 10000}}, never = {{0}};
	uint64_t cells[2];
	struct burning burning;

	own_signals = foreign_signals = 0;
	assert_int_equal(sigaction(SIGPROF, &action, NULL), 0);
	burning = start(ops, cells, /* this_thread= */ false);
	assert_int_equal(setitimer(ITIMER_PROF, &every, NULL), 0);
	for (int i = 0; i < 1000 && own_signals < 10; i++)
		burn(left, 10);
	assert_true(burn_until(&burning, left, 100));
	assert_int_equal(setitimer(ITIMER_PROF, &never, NULL), 0);
	stop(&burning);
	assert_true(own_signals >= 10);
	assert_int_equal(foreign_signals, 0);
	assert_int_equal(sigaction(SIGPROF, NULL, &after), 0);
	assert_ptr_equal(after.sa_sigaction, own_handler);
	signal(SIGPROF, SIG_DFL);
}
EACH(sigprof_is_the_programs)

/* timer's come when they may, as one of full weight. */
static void blocked_signals_lose_nothing_by(const struct inside_ops *ops)
{
	sigset_t all, before;
	uint64_t cells[2];
	struct burning burning = start(ops, cells, /* this_thread= */ false);
	struct inside_account last;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	burn(left, 100);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	last = stop(&burning);
	assert_true(last.ticks * PERIOD_NS <= last.cpu_ns + last.cpu_ns / 100 + PERIOD_NS);
	if (was_alone(&burning, &last, 1))
		assert_true(last.ticks >= 70);
}
EACH(blocked_signals_lose_nothing)

/* Signals that are blocked until all is over are of timers that are no more. */
static void late_signals_are_harmless_by(const struct inside_ops *ops)
{
	sigset_t all, before;
	uint64_t cells[2];
	struct burning burning = start(ops, cells, /* this_thread= */ false);

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	burn(left, 50);
	stop(&burning);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(handled_signal(), 0);
}
EACH(late_signals_are_harmless)

static bool is_blank(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

struct stacks {
	struct burning burning;
	char *second;
};

static void *burn_on_two_stacks(void *argument)
{
	struct stacks *stacks = argument;
	stack_t stack = {.ss_sp = stacks->second, .ss_size = 65536};
	stack_t none = {.ss_flags = SS_DISABLE};

	sigaltstack(&stack, NULL);
	assert_true(burn_until(&stacks->burning, left, 30));
	sigaltstack(&none, NULL);
	return NULL;
}

/* A program with stacks of a few hundred bytes has an alternate one for its signals. */
static void takes_the_alternate_stack_by(const struct inside_ops *ops)
{
	uint64_t cells[2];
	struct stacks stacks = {.second = calloc(1, 65536)};
	pthread_t thread;

	stacks.burning = start(ops, cells, /* this_thread= */ false);
	assert_int_equal(pthread_create(&thread, NULL, burn_on_two_stacks, &stacks), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	stop(&stacks.burning);
	assert_int_equal(is_blank(stacks.second, 65536), ops != &inside_timer);
	free(stacks.second);
}
EACH(takes_the_alternate_stack)

static int status_of(pid_t child)
{
	int status = -1;

	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

/* The cells are shared with the child, so that a tick of its would show. */
static int live_as_child(struct burning *burning)
{
	burning->ops->fork_child(burning->inside);
	burn(right, 100);
	return timers() || handled_signal() || entries("/proc/self/task") != 3;
}

static void a_child_is_not_measured_by(const struct inside_ops *ops)
{
	uint64_t *cells =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct burning burning = start(ops, cells, /* this_thread= */ false);
	struct inside_account frozen;
	pid_t child;

	ops->fork_prepare(burning.inside, &frozen);
	child = fork();
	if (!child)
		_exit(live_as_child(&burning));
	ops->fork_parent(burning.inside);
	assert_true(burn_until(&burning, left, 50));
	assert_int_equal(status_of(child), 0);
	stop(&burning);
	assert_true(cells[0] > 30);
	assert_int_equal(cells[1], 0);
	munmap(cells, 4096);
}
EACH(a_child_is_not_measured)

static void exec_ends_it_by(const struct inside_ops *ops)
{
	pid_t child = fork();

	if (!child) {
		uint64_t cells[2];

		start(ops, cells, /* this_thread= */ false);
		burn(left, 20);
		execl("/bin/sh", "sh", "-c", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done",
		      (char *)NULL);
		_exit(127);
	}
	assert_int_equal(status_of(child), 0);
}
EACH(exec_ends_it)

/* Somebody else's signal of the same number does what it would do without us. */
static void a_foreign_signal_kills(void **state)
{
	pid_t child = fork();
	int status;

	if (!child) {
		uint64_t cells[2];

		start(&inside_timer, cells, /* this_thread= */ false);
		kill(getpid(), handled_signal());
		_exit(0);
	}
	status = status_of(child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) >= SIGRTMIN);
}

static bool go_on = true; /* atomic */

static void *burn_on(void *unused)
{
	while (__atomic_load_n(&go_on, __ATOMIC_RELAXED))
		left(10000);
	return NULL;
}

static void nothing_is_written_after_stop_by(const struct inside_ops *ops)
{
	pthread_t threads[3];
	uint64_t cells[2], last;

	go_on = true;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, burn_on, NULL), 0);
	for (int i = 0; i < 100; i++) {
		struct burning burning = start(ops, cells, /* this_thread= */ false);

		burn(right, 3);
		stop(&burning);
		last = cells[0];
		burn(right, 1);
		assert_int_equal(cells[0], last);
	}
	__atomic_store_n(&go_on, false, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
}
EACH(nothing_is_written_after_stop)

/* Of the engine's own thread, the only one called so. */
static unsigned long wakeups(void)
{
	char path[300], line[256], name[32] = "";
	DIR *folder = opendir("/proc/self/task");
	unsigned long switches = 0;
	const struct dirent *entry;

	assert_non_null(folder);
	while ((entry = readdir(folder)) != NULL && strcmp(name, "profil") != 0) {
		FILE *file;

		(void)snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
		file = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
		while (file && fgets(line, sizeof(line), file)) {
			(void)sscanf(line, "Name: %31s", name);
			(void)sscanf(line, "voluntary_ctxt_switches: %lu", &switches);
		}
		if (file)
			fclose(file);
	}
	closedir(folder);
	assert_string_equal(name, "profil");
	return switches;
}

/* Whoever looked every 20 ms would be woken 20 times. */
static void an_idle_program_is_let_sleep_by(const struct inside_ops *ops)
{
	uint64_t cells[2];
	struct burning burning = start(ops, cells, /* this_thread= */ false);
	unsigned long before;

	burn(left, 20);
	usleep(100000);
	before = wakeups();
	usleep(400000);
	assert_in_range(wakeups() - before, 0, 4);
	stop(&burning);
}
EACH(an_idle_program_is_let_sleep)

static void cells_move_meanwhile_by(const struct inside_ops *ops)
{
	uint64_t cells[2], spent = 0;
	struct burning burning = start(ops, cells, /* this_thread= */ false);

	while (!__atomic_load_n(&cells[0], __ATOMIC_RELAXED) && spent < 2000000000)
		spent += burn(left, 1);
	assert_true(__atomic_load_n(&cells[0], __ATOMIC_RELAXED) > 0);
	stop(&burning);
}
EACH(cells_move_meanwhile)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_left),
		cmocka_unit_test(descriptors_are_not_the_programs),
		cmocka_unit_test(nothing_is_allocated),
		cmocka_unit_test(an_unmapped_buffer_ends_it),
		cmocka_unit_test(a_readonly_buffer_ends_it),
		cmocka_unit_test(sigprof_is_the_programs),
		cmocka_unit_test(blocked_signals_lose_nothing),
		cmocka_unit_test(late_signals_are_harmless),
		cmocka_unit_test(takes_the_alternate_stack),
		cmocka_unit_test(a_child_is_not_measured),
		cmocka_unit_test(exec_ends_it),
		cmocka_unit_test(a_foreign_signal_kills),
		cmocka_unit_test(nothing_is_written_after_stop),
		cmocka_unit_test(an_idle_program_is_let_sleep),
		cmocka_unit_test(cells_move_meanwhile),
	};

	return cmocka_run_group_tests_name("inside_guest", tests, NULL, NULL);
}
