// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/handoff.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define LIMIT 100

static struct handoff *make(uint64_t limit)
{
	uint64_t room = handoff_room(limit);
	struct handoff *handoff = calloc(1, handoff_size(room));

	assert_non_null(handoff);
	handoff->cell_limit = limit;
	handoff->cell_room = room;
	return handoff;
}

static uint32_t add_place(struct handoff *handoff, enum handoff_kind kind, uint64_t inode)
{
	struct handoff_place like = {.kind = kind, .inode = inode, .mtime_ns = 5};

	return handoff_place(handoff, &like, kind == HANDOFF_FILE ? "/file" : NULL);
}

static uint64_t sum_cells(const struct handoff *handoff)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < handoff->cell_room; i++)
		sum += handoff->cells[i].ticks;
	return sum;
}

static void half_of_the_room_stays_free(void **state)
{
	for (uint64_t limit = 1; limit < 1 << 20; limit = limit * 3 + 1) {
		uint64_t room = handoff_room(limit);

		assert_true(room >= 2 * limit);
		assert_true((room & (room - 1)) == 0);
	}
}

static void a_key_holds_its_parts(void **state)
{
	uint64_t key = handoff_key(HANDOFF_PLACES, HANDOFF_TASKS, UINT32_MAX);

	assert_int_equal(handoff_key_place(key), HANDOFF_PLACES);
	assert_int_equal(handoff_key_task(key), HANDOFF_TASKS);
	assert_int_equal((uint32_t)key, UINT32_MAX);
	assert_int_equal(handoff_key_task(handoff_key(1, 0, 7)), 0);
}

static void what_finds_no_cell_overflows(void **state)
{
	struct handoff *handoff = make(LIMIT);
	uint32_t file = add_place(handoff, HANDOFF_FILE, 1);
	uint32_t vdso = add_place(handoff, HANDOFF_VDSO, 0);
	uint64_t cell;

	for (uint32_t i = 0; i < LIMIT; i++)
		assert_true(handoff_add(handoff, handoff_key(file, 0, 64 * i), 2, &cell));
	assert_false(handoff_add(handoff, handoff_key(file, 0, 1), 3, &cell));
	assert_false(handoff_add(handoff, handoff_key(vdso, 0, 1), 4, &cell));
	assert_true(handoff_add(handoff, handoff_key(file, 0, 64), 5, &cell));
	assert_int_equal(handoff->cells[cell].ticks, 7);
	assert_int_equal(handoff->places[file - 1].overflow, 3);
	assert_int_equal(handoff->cells_full, 4);
	assert_int_equal(handoff->cell_count, LIMIT);
	assert_int_equal(sum_cells(handoff), 2 * LIMIT + 5);
	free(handoff);
}

/* One call of different callers is different contexts; who died half-way leaves a free one. */
static void a_context_is_found_by_its_caller(void **state)
{
	struct handoff *handoff = make(LIMIT);
	struct handoff_context contexts[64] = {0};
	uint64_t key = handoff_key(1, 0, 7), root = handoff_caller(0, HANDOFF_CALLED);
	uint32_t first, second, left = 3, none = 0;

	handoff->context_room = 64;
	handoff->context_limit = 3;
	first = handoff_context(handoff, contexts, key, root, &left);
	assert_int_not_equal(first, 0);
	assert_int_equal(handoff_context(handoff, contexts, key, root, &left), first);
	second = handoff_context(handoff, contexts, key, handoff_caller(first, HANDOFF_CALLED),
				 &left);
	assert_true(second && second != first);
	assert_int_equal(contexts[second - 1].caller, handoff_caller(first, HANDOFF_CALLED));
	contexts[second - 1].caller = 0;
	assert_int_equal(handoff_context(handoff, contexts, key,
					 handoff_caller(first, HANDOFF_CALLED), &left),
			 second);
	assert_int_not_equal(handoff_context(handoff, contexts, key + 1, root, &left), 0);
	assert_int_equal(handoff_context(handoff, contexts, key + 2, root, &left), 0);
	assert_int_equal(handoff->context_count, 3);
	assert_int_equal(left, 0);
	handoff->context_limit = 4;
	assert_int_equal(handoff_context(handoff, contexts, key + 2, root, &none), 0);
	assert_int_equal(handoff_context(handoff, contexts, key, root, &none), first);
	assert_int_equal(handoff->context_count, 3);
	free(handoff);
}

static void cells_are_kept_apart_by_their_callers(void **state)
{
	struct handoff *handoff = make(LIMIT);
	uint64_t *callers = calloc(handoff->cell_room, sizeof(*callers));
	uint64_t key = handoff_key(1, 0, 7), one, other, again;

	assert_non_null(callers);
	assert_true(handoff_add_called(handoff, callers, key, handoff_caller(1, 1), 2, &one));
	assert_true(handoff_add_called(handoff, callers, key, handoff_caller(2, 1), 3, &other));
	assert_true(handoff_add_called(handoff, callers, key, handoff_caller(1, 1), 4, &again));
	assert_int_equal(again, one);
	assert_int_not_equal(other, one);
	assert_int_equal(handoff->cells[one].ticks, 6);
	assert_int_equal(handoff->cells[other].ticks, 3);
	assert_int_equal(handoff->cell_count, 2);
	free(callers);
	free(handoff);
}

/* Whatever stands there, a tick ends. */
static void a_table_that_was_written_over_is_full(void **state)
{
	struct handoff *handoff = make(LIMIT);
	uint32_t file = add_place(handoff, HANDOFF_FILE, 1);
	uint64_t cell;

	memset(handoff->cells, 0xff, handoff->cell_room * sizeof(*handoff->cells));
	assert_false(handoff_add(handoff, handoff_key(file, 0, 1), 1, &cell));
	for (uint32_t i = 0; i < HANDOFF_TASKS; i++)
		handoff->tasks[i].id = UINT64_MAX;
	assert_int_equal(handoff_task(handoff, 1, "a task         "), 0);
	free(handoff);
}

static void a_file_has_one_place(void **state)
{
	struct handoff *handoff = make(LIMIT);
	struct handoff_place like = {.kind = HANDOFF_FILE, .inode = 7, .mtime_ns = 5};
	uint32_t first = handoff_place(handoff, &like, "/first");

	assert_int_equal(handoff_place(handoff, &like, "/first"), first);
	assert_string_equal(handoff->paths + handoff->places[first - 1].path, "/first");
	like.mtime_ns = 0; /* it has gone meanwhile: nobody knows */
	assert_int_equal(handoff_place(handoff, &like, "/first (deleted)"), first);
	like.mtime_ns = 6;
	assert_int_not_equal(handoff_place(handoff, &like, "/first"), first);
	like.mtime_ns = 5;
	like.base = (uint64_t)1 << 32;
	assert_int_not_equal(handoff_place(handoff, &like, "/first"), first);
	like.base = 0;
	like.is_program = 1;
	assert_int_equal(handoff_place(handoff, &like, "/first"), first);
	assert_int_equal(handoff->places[first - 1].is_program, 1);
	free(handoff);
}

static void places_and_paths_end(void **state)
{
	struct handoff *handoff = make(LIMIT);
	char path[4096];

	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	for (uint64_t i = 1; i <= HANDOFF_PLACES; i++) {
		struct handoff_place like = {.kind = HANDOFF_FILE, .inode = i};

		assert_int_equal(handoff_place(handoff, &like, path), i);
	}
	assert_int_equal(add_place(handoff, HANDOFF_FILE, HANDOFF_PLACES + 1), 0);
	assert_int_equal(add_place(handoff, HANDOFF_FILE, HANDOFF_PLACES + 1), 0);
	assert_string_equal(handoff->paths + handoff->places[0].path, path);
	assert_int_equal(handoff->places[HANDOFF_PLACES - 1].path, 0);
	assert_string_equal(handoff->paths, "");
	free(handoff);
}

static void a_task_keeps_its_number_and_takes_new_names(void **state)
{
	struct handoff *handoff = make(LIMIT);
	uint32_t task = handoff_task(handoff, 12, "first\0         ");

	assert_int_not_equal(task, 0);
	assert_int_equal(handoff_task(handoff, 12, "second\0        "), task);
	assert_string_equal(handoff->tasks[task - 1].name, "second");
	assert_int_not_equal(handoff_task(handoff, 13, "third\0         "), task);
	free(handoff);
}

/* ---- at once ---- */

#define THREADS 4
#define TURNS 20000
#define KEYS 300 /* more than LIMIT */

static void *add_many(void *argument)
{
	struct handoff *handoff = argument;
	uint32_t seed = (uint32_t)(uintptr_t)&seed;

	for (int i = 0; i < TURNS; i++) {
		uint32_t place = add_place(handoff, HANDOFF_FILE, 1 + i % 7);
		uint64_t cell;

		seed = seed * 1103515245 + 12345;
		handoff_fire(handoff, 3);
		(void)handoff_add(handoff, handoff_key(place, 0, (seed >> 8) % KEYS), 3, &cell);
	}
	return NULL;
}

static void ticks_that_race_are_all_there(void **state)
{
	struct handoff *handoff = make(LIMIT);
	pthread_t threads[THREADS];
	uint64_t overflow = 0, taken = 0;

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_many, handoff), 0);
	for (int i = 0; i < THREADS; i++)
		(void)pthread_join(threads[i], NULL);
	for (uint32_t i = 0; i < handoff->place_count; i++)
		overflow += handoff->places[i].overflow;
	for (uint64_t i = 0; i < handoff->cell_room; i++) {
		taken += handoff->cells[i].key != 0;
		for (uint64_t other = 0; other < i && handoff->cells[i].key; other++)
			assert_int_not_equal(handoff->cells[other].key, handoff->cells[i].key);
	}
	assert_int_equal(handoff->fired, 3 * THREADS * TURNS);
	assert_int_equal(sum_cells(handoff) + overflow, handoff->fired);
	assert_int_equal(handoff->cell_count, taken);
	assert_true(taken <= LIMIT);
	free(handoff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(half_of_the_room_stays_free),
		cmocka_unit_test(a_key_holds_its_parts),
		cmocka_unit_test(what_finds_no_cell_overflows),
		cmocka_unit_test(a_context_is_found_by_its_caller),
		cmocka_unit_test(cells_are_kept_apart_by_their_callers),
		cmocka_unit_test(a_table_that_was_written_over_is_full),
		cmocka_unit_test(a_file_has_one_place),
		cmocka_unit_test(places_and_paths_end),
		cmocka_unit_test(a_task_keeps_its_number_and_takes_new_names),
		cmocka_unit_test(ticks_that_race_are_all_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
