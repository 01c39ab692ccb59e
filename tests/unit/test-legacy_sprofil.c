// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "legacy.h"

/* sprofil() of each system that had it. */

/* As the systems' struct prof: HP-UX's and IRIX's; glibc's is in legacy.h. */
struct narrow {
	void *base;
	unsigned int size;
	uintptr_t offset;
	unsigned int scale;
};

static int hpux(struct narrow *entries, int count, struct timeval *tvp, unsigned flags)
{
	return sprofil_hpux((struct prof *)entries, count, tvp, flags);
}

static void hpux_errors_are_in_order(void **state)
{
	struct narrow entry = {cells, sizeof(cells), TEXT, 65536};
	struct timeval tick;

	/* Each call has every fault that is asked for later, too. */
	assert_fails(hpux((void *)8, -1, (void *)8, 0), E2BIG);
	assert_fails(hpux((void *)8, INT_MAX, (void *)8, 0), E2BIG);
	assert_fails(hpux((void *)8, 1, (void *)8, 0), EFAULT);
	assert_fails(hpux((void *)8, 1, &tick, 0), EFAULT);
	assert_fails(hpux(NULL, 1, &tick, 0), EFAULT);
	assert_fails(hpux(&entry, 1, (void *)8, 0), EFAULT);
	assert_fails(hpux(&entry, 1, &tick, 0), EINVAL);
	assert_fails(hpux(&entry, 1, &tick, 3), EINVAL);
	assert_fails(hpux(&entry, 1, &tick, 8), EINVAL);
	assert_int_equal(stand_in.starts, 0);
	for (unsigned flags = 1; flags <= 4; flags *= 2)
		assert_int_equal(hpux(&entry, 1, &tick, flags), 0);
	assert_int_equal(stand_in.starts, 3);
	assert_int_equal(hpux(NULL, 0, NULL, 0), 0);
	assert_int_equal(stand_in.count, 0);
}

static void hpux_refuses_these(void **state)
{
	struct narrow sound = {other, sizeof(other), TEXT, 65536};
	struct narrow entries[][2] = {
		{{cells, 0, 1, 65536}, sound},		  /* no size */
		{{cells, 3, 1, 65536}, sound},		  /* not of whole cells */
		{{cells, 2, 0, 2}, sound},		  /* overflow is not last */
		{sound, {cells, 4, 0, 2}},		  /* and more than one cell */
		{sound, {cells, 64, TEXT - 4096, 65536}}, /* not in order */
		{sound, {cells, 64, TEXT + 2, 65536}},	  /* overlaps */
	};

	assert_int_equal(hpux(&sound, 1, NULL, 1), 0);
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++)
		assert_fails(hpux(entries[i], 2, NULL, 1), EINVAL);
	assert_int_equal(stand_in.starts, 1);
	assert_int_equal(stand_in.count, 1);
}

/* The last page of what can be mapped, so that one entry more is not there. */
static void the_array_is_looked_at_first(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct narrow *last = (struct narrow *)(pages + page) - 1;

	assert_int_equal(munmap(pages + page, page), 0);
	*last = (struct narrow){cells, sizeof(cells), TEXT, 65536};
	assert_int_equal(hpux(last, 1, NULL, 1), 0);
	assert_fails(hpux(last, 2, NULL, 1), EFAULT);
	assert_fails(sprofil_irix((struct prof *)last, 2, NULL, 1), EFAULT);
	assert_fails(sprofil((struct prof *)last, 2, NULL, 1), EFAULT);
	munmap(pages, page);
}

static void flags_choose_the_width(void **state)
{
	struct wide wide = {cells, sizeof(cells), TEXT, 65536};
	struct narrow narrow = {cells, sizeof(cells), TEXT, 65536};
	struct prof *w = (struct prof *)&wide, *n = (struct prof *)&narrow;
	struct {
		int (*call)(struct prof *, int, struct timeval *, unsigned);
		struct prof *profp;
		unsigned flags, width;
	} cases[] = {
		{sprofil, w, 0, 2},	 {sprofil, w, 1, 4},	  {sprofil, w, 2, 2},
		{sprofil, w, 3, 4},	 {sprofil, w, 4, 2},	  {sprofil_irix, n, 1, 2},
		{sprofil_irix, n, 2, 4}, {sprofil_irix, n, 6, 4}, {sprofil_hpux, n, 1, 2},
		{sprofil_hpux, n, 2, 4}, {sprofil_hpux, n, 4, 8},
	};
	size_t count;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(cases[i].call(cases[i].profp, 1, NULL, cases[i].flags), 0);
		assert_int_equal(region_table_regions(stand_in.on[0]->options.table, &count)->width,
				 cases[i].width);
	}
	assert_fails(sprofil_irix(n, 1, NULL, 0), EINVAL);
	assert_fails(sprofil_irix(n, 1, NULL, 3), EINVAL);
}

static void tvp_tells_the_tick(void **state)
{
	struct wide wide = {cells, sizeof(cells), TEXT, 65536};
	struct narrow narrow = {cells, sizeof(cells), TEXT, 65536};
	struct timeval tick;

	assert_int_equal(sprofil((struct prof *)&wide, 1, &tick, 0), 0);
	assert_int_equal(tick.tv_sec * 1000000 + tick.tv_usec, 10000);
	assert_int_equal(stand_in.on[0]->options.period_ns, 10000000);
	assert_int_equal(sprofil_irix((struct prof *)&narrow, 1, &tick, 5), 0);
	assert_int_equal(tick.tv_sec * 1000000 + tick.tv_usec, 1000);
	assert_int_equal(stand_in.on[0]->options.period_ns, 1000000);
	setenv("PROFIL_HZ", "1", 1);
	assert_int_equal(hpux(&narrow, 1, &tick, 1), 0);
	assert_int_equal(tick.tv_sec, 1);
	assert_int_equal(tick.tv_usec, 0);
	setenv("PROFIL_HZ", "3000", 1);
	assert_int_equal(hpux(&narrow, 1, &tick, 1), 0);
	assert_int_equal(tick.tv_usec, 333);
	assert_int_equal(stand_in.on[0]->options.period_ns, 333333);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(hpux_errors_are_in_order, reset, reset),
		cmocka_unit_test_setup_teardown(hpux_refuses_these, reset, reset),
		cmocka_unit_test_setup_teardown(the_array_is_looked_at_first, reset, reset),
		cmocka_unit_test_setup_teardown(flags_choose_the_width, reset, reset),
		cmocka_unit_test_setup_teardown(tvp_tells_the_tick, reset, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
