// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/guest.h"
#include "histogram/histogram.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

#define LIMIT 1000

static struct guest guest;

static int set_up(void **state)
{
	uint64_t room = handoff_room(LIMIT);
	struct handoff *handoff = calloc(1, handoff_size(room));

	if (!handoff)
		return -1;
	handoff->cell_limit = LIMIT;
	handoff->cell_room = room;
	memset(&guest, 0, sizeof(guest));
	guest_init(&guest, handoff);
	return guest_look(&guest);
}

static int tear_down(void **state)
{
	space_done(&guest.maps[0].space);
	space_done(&guest.maps[1].space);
	space_done(&guest.text);
	free(guest.handoff);
	return 0;
}

/* The one cell of KIND that has ticks; *RET_PLACE is its place. */
static const struct handoff_cell *only_cell(enum handoff_kind kind,
					    const struct handoff_place **ret_place)
{
	const struct handoff_cell *found = NULL;

	for (uint64_t i = 0; i < guest.handoff->cell_room; i++) {
		const struct handoff_cell *cell = &guest.handoff->cells[i];
		const struct handoff_place *place;

		if (!cell->ticks)
			continue;
		place = &guest.handoff->places[handoff_key_place(cell->key) - 1];
		assert_int_equal(place->kind, kind);
		assert_null(found);
		found = cell;
		*ret_place = place;
	}
	assert_non_null(found);
	return found;
}

static uint64_t ticks_of(enum handoff_kind kind)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < guest.handoff->cell_room; i++) {
		const struct handoff_cell *cell = &guest.handoff->cells[i];

		if (cell->ticks &&
		    guest.handoff->places[handoff_key_place(cell->key) - 1].kind == kind)
			sum += cell->ticks;
	}
	return sum;
}

static void assert_is_this_program(const struct handoff_place *place)
{
	struct stat status;

	assert_int_equal(stat("/proc/self/exe", &status), 0);
	assert_int_equal(place->inode, status.st_ino);
	assert_int_equal(place->is_program, 1);
	assert_true(place->mtime_ns / 1000000000 == status.st_mtim.tv_sec);
	assert_non_null(strstr(guest.handoff->paths + place->path, "test-guest"));
}

static void a_tick_in_a_file_is_at_its_offset(void **state)
{
	const struct handoff_place *place;
	const struct handoff_cell *cell;

	guest_tick(&guest, (uintptr_t)set_up, NULL, 4);
	guest_tick(&guest, (uintptr_t)set_up, NULL, 1);
	cell = only_cell(HANDOFF_FILE, &place);
	assert_int_equal(cell->ticks, 5);
	assert_int_equal(handoff_key_task(cell->key), 0);
	assert_is_this_program(place);
	/* The code's first bytes stand there in the file. */
	{
		FILE *file = fopen("/proc/self/exe", "re");
		char bytes[16];

		assert_non_null(file);
		assert_int_equal(fseek(file, (long)(uint32_t)cell->key, SEEK_SET), 0);
		assert_int_equal(fread(bytes, 1, sizeof(bytes), file), sizeof(bytes));
		assert_memory_equal(bytes, (const void *)(uintptr_t)set_up, sizeof(bytes));
		fclose(file);
	}
	assert_int_equal(guest.handoff->fired, 5);
}

static void the_vdso_has_its_own(void **state)
{
	uintptr_t vdso = getauxval(AT_SYSINFO_EHDR);
	const struct handoff_place *place;

	if (!vdso)
		skip();
	guest_tick(&guest, vdso + 0x321, NULL, 1);
	assert_int_equal((uint32_t)only_cell(HANDOFF_VDSO, &place)->key, 0x321);
}

static void what_is_not_known_waits_for_the_next_look(void **state)
{
	char *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct handoff_place *place;
	const struct handoff_cell *cell;
	uint32_t task;

	assert_true(code != MAP_FAILED);
	assert_false(guest_is_stale(&guest));
	guest_tick(&guest, (uintptr_t)code + 9, NULL, 2);
	assert_true(guest_is_stale(&guest));
	(void)only_cell(HANDOFF_UNKNOWN, &place);
	assert_int_equal(guest_look(&guest), 0);
	assert_false(guest_is_stale(&guest));
	cell = only_cell(HANDOFF_ANONYMOUS, &place);
	assert_int_equal(cell->ticks, 2);
	assert_int_equal(place->base + (uint32_t)cell->key, (uintptr_t)code + 9);
	task = handoff_key_task(cell->key);
	assert_int_not_equal(task, 0);
	assert_int_equal(guest.handoff->tasks[task - 1].id,
			 handoff_task_id((uint32_t)getpid(), 0, guest.program));
	(void)munmap(code, 4096);
}

/* Code of no file is a program's own, a file's is the process's. */
static void what_was_in_a_file_is_the_process_s(void **state)
{
	const struct handoff_place *place;
	uint32_t task;

	guest.handoff->by_process = 1;
	guest_forget_map(&guest);
	guest_tick(&guest, (uintptr_t)set_up, NULL, 2);
	(void)only_cell(HANDOFF_UNKNOWN, &place);
	assert_int_equal(guest_look(&guest), 0);
	task = handoff_key_task(only_cell(HANDOFF_FILE, &place)->key);
	assert_int_equal(guest.handoff->tasks[task - 1].id,
			 handoff_task_id((uint32_t)getpid(), 0, 0));
}

static void each_program_has_a_number_of_its_own(void **state)
{
	struct guest other = {0};

	guest_init(&other, guest.handoff);
	assert_int_equal(guest.program, 1);
	assert_int_equal(other.program, 2);
}

static void what_is_nowhere_stays_unknown(void **state)
{
	const struct handoff_place *place;

	guest_tick(&guest, 64, NULL, 3);
	assert_int_equal(guest_look(&guest), 0);
	assert_int_equal(only_cell(HANDOFF_UNKNOWN, &place)->ticks, 3);
}

static void a_map_that_is_forgotten_is_read_again(void **state)
{
	const struct handoff_place *place;

	guest_forget_map(&guest);
	guest_tick(&guest, (uintptr_t)set_up, NULL, 1);
	(void)only_cell(HANDOFF_UNKNOWN, &place);
	assert_int_equal(guest_look(&guest), 0);
	(void)only_cell(HANDOFF_FILE, &place);
	assert_is_this_program(place);
}

/* To the byte, as what takes the place of something is asked for. */
static void what_is_known_has_a_start_and_an_end(void **state)
{
	char *code = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t start = (uintptr_t)code + 4096, end = start + 4096;

	assert_true(code != MAP_FAILED);
	assert_int_equal(mprotect(code + 4096, 4096, PROT_READ | PROT_EXEC), 0);
	assert_false(guest_knows(&guest, start, end));
	assert_int_equal(guest_look(&guest), 0);
	assert_true(guest_knows(&guest, start, end));
	assert_true(guest_knows(&guest, start - 4096, start + 1));
	assert_true(guest_knows(&guest, end - 1, end + 4096));
	assert_true(guest_knows(&guest, 0, UINTPTR_MAX));
	assert_false(guest_knows(&guest, start - 4096, start));
	assert_false(guest_knows(&guest, end, end + 4096));
	guest_forget_map(&guest);
	assert_false(guest_knows(&guest, 0, UINTPTR_MAX));
	(void)munmap(code, 3 * 4096);
}

static void what_waits_for_a_look_is_owed(void **state)
{
	uintptr_t pc = (uintptr_t)set_up;

	guest_forget_map(&guest);
	assert_false(guest_is_stale(&guest));
	assert_false(guest_owes(&guest, 0, UINTPTR_MAX));
	guest_tick(&guest, pc, NULL, 1);
	assert_true(guest_is_stale(&guest));
	assert_true(guest_owes(&guest, 0, UINTPTR_MAX));
	assert_true(guest_owes(&guest, pc, pc + 1));
	assert_false(guest_owes(&guest, pc + 1, UINTPTR_MAX));
	assert_false(guest_owes(&guest, 0, pc));
	assert_int_equal(guest_look(&guest), 0);
	assert_false(guest_owes(&guest, 0, UINTPTR_MAX));
}

/* As the preloaded object does at mmap(2): neither file gets the other's ticks. */
static void one_file_after_another_at_an_address(void **state)
{
	const struct handoff_place *place;
	char *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_true(code != MAP_FAILED && file >= 0);
	guest_tick(&guest, (uintptr_t)code, NULL, 2);
	assert_true(guest_owes(&guest, (uintptr_t)code, (uintptr_t)code + 4096));
	assert_int_equal(guest_look(&guest), 0);
	assert_true(mmap(code, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, file, 0) ==
		    code);
	assert_true(guest_knows(&guest, (uintptr_t)code, (uintptr_t)code + 4096));
	guest_forget_map(&guest);
	assert_int_equal(only_cell(HANDOFF_ANONYMOUS, &place)->ticks, 2);
	guest_tick(&guest, (uintptr_t)code, NULL, 5);
	assert_int_equal(guest_look(&guest), 0);
	assert_int_equal(ticks_of(HANDOFF_ANONYMOUS), 2);
	assert_int_equal(ticks_of(HANDOFF_FILE), 5);
	(void)close(file);
	(void)munmap(code, 4096);
}

static void threads_are_kept_apart(void **state)
{
	const struct handoff_place *place;
	uint32_t task;

	guest.handoff->by_thread = 1;
	guest_tick(&guest, (uintptr_t)set_up, NULL, 1);
	task = handoff_key_task(only_cell(HANDOFF_FILE, &place)->key);
	assert_int_equal(guest.handoff->tasks[task - 1].id,
			 handoff_task_id((uint32_t)getpid(), (uint32_t)gettid(), 0));
}

static void a_child_is_another_task(void **state)
{
	pid_t child;
	int status;

	guest.handoff->by_process = 1;
	guest_tick(&guest, (uintptr_t)set_up, NULL, 1);
	child = fork();
	if (!child) {
		guest_forked(&guest);
		guest_tick(&guest, (uintptr_t)set_up, NULL, 1);
		_exit(guest.handoff->tasks[guest.tasks[0] - 1].id ==
				      handoff_task_id((uint32_t)getpid(), 0, 0)
			      ? 0
			      : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

#define TURNS 20000

static void *tick_often(void *unused)
{
	for (int i = 0; i < TURNS; i++)
		guest_tick(&guest, (uintptr_t)set_up, NULL, 1);
	return unused;
}

/* Each tick is somewhere, whether it finds the map, none, or one that changes. */
static void ticks_go_on_while_maps_change(void **state)
{
	pthread_t thread;
	uint64_t sum = 0;

	assert_int_equal(pthread_create(&thread, NULL, tick_often, NULL), 0);
	for (int i = 0; i < 50; i++) {
		guest_forget_map(&guest);
		assert_int_equal(guest_look(&guest), 0);
	}
	(void)pthread_join(thread, NULL);
	assert_int_equal(guest_look(&guest), 0);
	for (uint64_t i = 0; i < guest.handoff->cell_room; i++)
		sum += guest.handoff->cells[i].ticks;
	assert_int_equal(sum, TURNS);
	assert_int_equal(guest.handoff->fired, TURNS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#ifdef __x86_64__

/* A tick that has nowhere to walk says so, and not that another CPU held anything. */
static void a_tick_without_a_bench_says_so(void **state)
{
	struct guest busy = {.stacks.taken = UINT64_MAX};
	ucontext_t interrupted = {0};

	assert_true(guest_caller(&busy, &interrupted) == handoff_caller(0, STACK_CROWDED));
	assert_true(guest_caller(&busy, NULL) == handoff_caller(0, STACK_NOT_READABLE));
	assert_true(busy.stacks.taken == UINT64_MAX);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_tick_in_a_file_is_at_its_offset),
		TEST(the_vdso_has_its_own),
		TEST(what_is_not_known_waits_for_the_next_look),
		TEST(what_was_in_a_file_is_the_process_s),
		TEST(each_program_has_a_number_of_its_own),
		TEST(what_is_nowhere_stays_unknown),
		TEST(a_map_that_is_forgotten_is_read_again),
		TEST(what_is_known_has_a_start_and_an_end),
		TEST(what_waits_for_a_look_is_owed),
		TEST(one_file_after_another_at_an_address),
		TEST(threads_are_kept_apart),
		TEST(a_child_is_another_task),
		TEST(ticks_go_on_while_maps_change),
#ifdef __x86_64__
		cmocka_unit_test(a_tick_without_a_bench_says_so),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
