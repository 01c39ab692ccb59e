// SPDX-License-Identifier: BSD-2-Clause
/* Every cell that holds ticks is found, and to look for them makes no memory of the others. */
#include "gmon/scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 1000 /* many times what is read of pagemap at once */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t in_page(void)
{
	return page_size() / sizeof(uint64_t);
}

/* The last cells of the last page are no object's. */
static void make(struct object *object)
{
	object->low = 0x1000;
	object->high = object->low + (PAGES * in_page() - 3) * OBJECT_GRANULE;
	object->cells = mmap(NULL, PAGES * page_size(), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(object->cells, MAP_FAILED);
	(void)madvise(object->cells, PAGES * page_size(), MADV_NOHUGEPAGE);
}

static size_t resident(const struct object *object)
{
	unsigned char there[PAGES];
	size_t count = 0;

	assert_int_equal(mincore(object->cells, PAGES * page_size(), there), 0);
	for (size_t i = 0; i < PAGES; i++)
		count += there[i] & 1;
	return count;
}

static void check(const struct object *object, const size_t *wanted, size_t count)
{
	struct scan scan;
	uint64_t ticks;
	size_t cell;

	assert_int_equal(scan_count(object), count);
	scan_begin(&scan, object);
	assert_true(scan.pagemap >= 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(scan_next(&scan, &cell, &ticks));
		assert_int_equal(cell, wanted[i]);
		assert_int_equal(ticks, wanted[i] + 1);
	}
	assert_false(scan_next(&scan, &cell, &ticks));
	scan_end(&scan);
}

static void test_sparse(void **state)
{
	const size_t cells[] = {
		0,
		in_page() - 1,
		in_page(),
		130 * in_page() + 5,
		131 * in_page(),
		700 * in_page() + 7,
		PAGES * in_page() - 4,
	};
	enum { COUNT = sizeof(cells) / sizeof(*cells), TOUCHED = 6 };
	struct object object = {};

	make(&object);
	check(&object, NULL, 0);
	assert_int_equal(resident(&object), 0);
	for (size_t i = 0; i < COUNT; i++)
		object.cells[cells[i]] = cells[i] + 1;
	object.cells[PAGES * in_page() - 1] = 1;
	check(&object, cells, COUNT);
	assert_int_equal(resident(&object), TOUCHED);
	(void)munmap(object.cells, PAGES * page_size());
}

/* Page by page, whatever is beside it. */
static void test_each_page(void **state)
{
	struct object object = {};
	size_t cells[PAGES], count = 0;

	make(&object);
	srandom(1);
	for (size_t page = 0; page < PAGES; page++)
		if (random() & 1)
			cells[count++] = page * in_page() + (size_t)random() % (in_page() - 3);
	for (size_t i = 0; i < count; i++)
		object.cells[cells[i]] = cells[i] + 1;
	check(&object, cells, count);
	assert_int_equal(resident(&object), count);
	(void)munmap(object.cells, PAGES * page_size());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sparse),
		cmocka_unit_test(test_each_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
