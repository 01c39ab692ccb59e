// SPDX-License-Identifier: BSD-2-Clause
#include "engine/inside/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "burn.h"

#include <sys/mman.h>

/* Where and when the engines write: to the buffer while it is there, and while they are on. */

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
		cmocka_unit_test(an_unmapped_buffer_ends_it),
		cmocka_unit_test(a_readonly_buffer_ends_it),
		cmocka_unit_test(nothing_is_written_after_stop),
		cmocka_unit_test(cells_move_meanwhile),
	};

	return cmocka_run_group_tests_name("inside_cells", tests, NULL, NULL);
}
