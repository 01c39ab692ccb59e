// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "burn.h"
#include "guest.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_left),
		cmocka_unit_test(descriptors_are_not_the_programs),
		cmocka_unit_test(nothing_is_allocated),
		cmocka_unit_test(a_child_is_not_measured),
		cmocka_unit_test(exec_ends_it),
		cmocka_unit_test(an_idle_program_is_let_sleep),
	};

	return cmocka_run_group_tests_name("inside_guest", tests, NULL, NULL);
}
