// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/pc_list.h"

#include "engine/inside/tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

static char *new_pages(size_t count)
{
	char *pages = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	return pages;
}

static void assert_listed(const struct pc_list *list, size_t place, uintptr_t pc)
{
	assert_memory_equal((const char *)list->pcs + place * sizeof(pc), &pc, sizeof(pc));
}

static void it_fills_in_order(void **state)
{
	uintptr_t pcs[] = {0, 0, 0, 77};
	struct pc_list list = {.pcs = pcs, .room = 3};

	for (uintptr_t pc = 10; pc < 13; pc++)
		assert_int_equal(pc_list_add(&list, pc), PC_LISTED);
	assert_int_equal(pc_list_add(&list, 13), PC_LIST_IS_FULL);
	assert_int_equal(pc_list_used(&list), 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pcs[i], 10 + i);
	assert_int_equal(pcs[3], 77);
}

static void no_room_is_full(void **state)
{
	struct pc_list list = {};

	assert_int_equal(pc_list_add(&list, 1), PC_LIST_IS_FULL);
}

static void no_memory_is_gone(void **state)
{
	char *pages = new_pages(3);
	struct pc_list lists[] = {
		{.pcs = NULL, .room = 4},
		{.pcs = (uintptr_t *)(UINTPTR_MAX - 15), .room = 4},
		{.pcs = (uintptr_t *)(pages + PAGE), .room = 4},
		{.pcs = (uintptr_t *)(pages + 2 * PAGE), .room = SIZE_MAX},
	};

	assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_READ), 0);
	assert_int_equal(munmap(pages + 2 * PAGE, PAGE), 0);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		assert_int_equal(pc_list_add(&lists[i], 1), PC_LIST_IS_GONE);
		assert_int_equal(pc_list_used(&lists[i]), 0);
	}
	munmap(pages, 2 * PAGE);
}

/* At each odd place, of which one lies across the end of what is there. */
static void an_odd_array_is_filled(void **state)
{
	char *pages = new_pages(2);

	assert_int_equal(munmap(pages + PAGE, PAGE), 0);
	for (size_t odd = 1; odd < sizeof(uintptr_t); odd++) {
		char *at = pages + PAGE - 3 * sizeof(uintptr_t) + odd;
		struct pc_list list = {.pcs = (uintptr_t *)at, .room = 9};

		assert_int_equal(pc_list_add(&list, UINTPTR_MAX), PC_LISTED);
		assert_int_equal(pc_list_add(&list, 0x123456789abc), PC_LISTED);
		assert_int_equal(pc_list_add(&list, 3), PC_LIST_IS_GONE);
		assert_int_equal(pc_list_used(&list), 2);
		assert_listed(&list, 0, UINTPTR_MAX);
		assert_listed(&list, 1, 0x123456789abc);
	}
	munmap(pages, PAGE);
}

#define THREADS 4
#define EACH 20000

static struct pc_list shared;

static void *list_many(void *first)
{
	for (uintptr_t pc = (uintptr_t)first; pc < (uintptr_t)first + EACH; pc++)
		(void)pc_list_add(&shared, pc);
	return NULL;
}

static int compare(const void *left, const void *right)
{
	uintptr_t a = *(const uintptr_t *)left, b = *(const uintptr_t *)right;

	return (a > b) - (a < b);
}

static void threads_lose_nothing(void **state)
{
	size_t room = THREADS * EACH;
	pthread_t threads[THREADS];

	shared = (struct pc_list){.pcs = calloc(room, sizeof(uintptr_t)), .room = room};
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&threads[i], NULL, list_many, (void *)(1 + i * EACH)), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(pc_list_used(&shared), room);
	qsort(shared.pcs, room, sizeof(*shared.pcs), compare);
	for (size_t i = 0; i < room; i++)
		assert_int_equal(shared.pcs[i], i + 1);
	free(shared.pcs);
}

static struct inside_account account_of(const struct tally *tally)
{
	struct inside_account account;

	tally_read(tally, &account);
	assert_int_equal(account.ticks,
			 account.counted + account.outside + account.saturated + account.lost);
	return account;
}

/* A tick that stands for several is listed as often, as far as there is room; then it is over. */
static void a_tally_lists_each_tick(void **state)
{
	uintptr_t pcs[6] = {0};
	struct pc_list list = {.pcs = pcs, .room = 6};
	struct tally tally = {.list = &list};

	tally_tick(&tally, 5, NULL, 2);
	assert_false(account_of(&tally).ended);
	tally_tick(&tally, 7, NULL, 3);
	tally_tick(&tally, 9, NULL, 4);
	assert_int_equal(account_of(&tally).counted, 6);
	assert_int_equal(account_of(&tally).saturated, 3);
	assert_true(account_of(&tally).ended);
	tally_tick(&tally, 9, NULL, 1);
	assert_int_equal(account_of(&tally).ticks, 9);
	assert_int_equal(pcs[1], 5);
	assert_int_equal(pcs[4], 7);
	assert_int_equal(pcs[5], 9);
}

/* As the system had it: the one that fills it ends it, and not the next one. */
static void the_last_one_ends_it(void **state)
{
	uintptr_t pcs[2] = {0};
	struct pc_list list = {.pcs = pcs, .room = 2};
	struct tally tally = {.list = &list};

	tally_tick(&tally, 1, NULL, 1);
	assert_false(tally_has_ended(&tally));
	tally_tick(&tally, 2, NULL, 1);
	assert_true(tally_has_ended(&tally));
	assert_int_equal(account_of(&tally).ticks, 2);
}

static void a_fault_ends_it(void **state)
{
	struct pc_list list = {.room = 9};
	struct tally tally = {.list = &list};

	tally_tick(&tally, 1, NULL, 3);
	assert_true(account_of(&tally).ended);
	assert_int_equal(account_of(&tally).lost, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_fills_in_order),	cmocka_unit_test(no_room_is_full),
		cmocka_unit_test(no_memory_is_gone),	cmocka_unit_test(an_odd_array_is_filled),
		cmocka_unit_test(threads_lose_nothing), cmocka_unit_test(a_tally_lists_each_tick),
		cmocka_unit_test(the_last_one_ends_it), cmocka_unit_test(a_fault_ends_it),
	};

	return cmocka_run_group_tests_name("pc_list", tests, NULL, NULL);
}
