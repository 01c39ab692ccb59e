// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/calls.h"
#include "stand_in.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* As the systems' struct prof: HP-UX's and IRIX's, and glibc's. */
struct narrow {
	void *base;
	unsigned int size;
	uintptr_t offset;
	unsigned int scale;
};

struct wide {
	void *base;
	size_t size, offset;
	unsigned long scale;
};

#define TEXT 0x100000

static uint16_t cells[64], other[64];

static int reset(void **state)
{
	(void)profil_linux(NULL, 0, 0, 0);
	memset(cells, 0, sizeof(cells));
	memset(other, 0, sizeof(other));
	stand_in.starts = stand_in.stops = 0;
	stand_in.first_probe = stand_in.second_probe = 0;
	stand_in.first_start = stand_in.second_start = 0;
	assert_int_equal(stand_in.count, 0);
	unsetenv("PROFIL_HZ");
	unsetenv("PROFIL_ENGINE");
	return 0;
}

static int hpux(struct narrow *entries, int count, struct timeval *tvp, unsigned flags)
{
	return sprofil_hpux((struct prof *)entries, count, tvp, flags);
}

#define assert_fails(call, code)               \
	do {                                   \
		errno = 0;                     \
		assert_int_equal(call, -1);    \
		assert_int_equal(errno, code); \
	} while (0)

static void a_tick_falls_in_a_cell(void **state)
{
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	assert_int_equal(stand_in.count, 1);
	stand_in_tick(TEXT + 10);
	assert_int_equal(cells[5], 1);
	assert_int_equal(profil_linux(NULL, 0, 0, 0), 0);
	assert_int_equal(stand_in.count, 0);
}

/* The third call of glibc's ends in a double free. */
static void each_call_replaces_the_one_before(void **state)
{
	struct wide entry = {other, sizeof(other), TEXT, 65536};

	for (int i = 0; i < 3; i++) {
		assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
		assert_int_equal(sprofil((struct prof *)&entry, 1, NULL, 0), 0);
		assert_int_equal(stand_in.count, 1);
		stand_in_tick(TEXT);
	}
	assert_int_equal(cells[0], 0);
	assert_int_equal(other[0], 3);
	assert_int_equal(profil_bsd((char *)cells, sizeof(cells), TEXT, 65536), 0);
	stand_in_tick(TEXT);
	assert_int_equal(cells[0], 1);
	assert_int_equal(stand_in.count, 1);
	assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
	assert_int_equal(stand_in.count, 0);
	assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
}

static void what_turns_off_is_the_systems(void **state)
{
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 0), 0);
	assert_int_equal(stand_in.count, 1);
	assert_int_equal(profil_irix(cells, sizeof(cells), TEXT, 1), 0);
	assert_int_equal(stand_in.count, 0);
	assert_int_equal(profil_bsd((char *)cells, sizeof(cells), TEXT, 1), 0);
	assert_int_equal(stand_in.count, 1);
	assert_int_equal(profil_bsd((char *)cells, sizeof(cells), TEXT, 0), 0);
	assert_int_equal(stand_in.count, 0);
	profil_svr4(cells, sizeof(cells), TEXT, 65536);
	assert_int_equal(stand_in.count, 1);
	profil_svr4(cells, sizeof(cells), TEXT, 1);
	assert_int_equal(stand_in.count, 0);
	assert_int_equal(profil_v7(cells, sizeof(cells), TEXT, 0xffff), 0);
	assert_int_equal(stand_in.count, 1);
	profil_hpux(cells, sizeof(cells), TEXT, 0);
	assert_int_equal(stand_in.count, 0);
	assert_int_equal(profil_aix(cells, sizeof(cells), TEXT, 0x10002), 0);
	assert_int_equal(stand_in.count, 1);
}

static void bsd_ends_with_an_illegal_buffer(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct {
		char *at;
		size_t size;
	} illegal[] = {
		{NULL, 64},
		{(char *)8, 64},
		{pages + page, 64},	  /* not to be written */
		{pages + page - 64, 128}, /* its end is not */
		{pages + 2 * page, 64},	  /* nothing */
		{pages + 2 * page - 64, 128},
		{(char *)cells + 1, 64}, /* odd */
		{(char *)UINTPTR_MAX - 63, 64},
		{(char *)-4096l, 1 << 20},
	};

	assert_int_equal(mprotect(pages + page, page, PROT_READ), 0);
	assert_int_equal(munmap(pages + 2 * page, page), 0);
	for (size_t i = 0; i < sizeof(illegal) / sizeof(*illegal); i++) {
		assert_int_equal(profil_bsd((char *)cells, sizeof(cells), TEXT, 65536), 0);
		assert_int_equal(stand_in.count, 1);
		assert_fails(profil_bsd(illegal[i].at, illegal[i].size, TEXT, 65536), EFAULT);
		assert_int_equal(stand_in.count, 0);
		assert_int_equal(profil_bsd(illegal[i].at, illegal[i].size, TEXT, 0), 0);
		assert_fails(profil_aix(illegal[i].at, illegal[i].size, TEXT, 65535), EFAULT);
	}
	assert_int_equal(profil_bsd(pages, page, TEXT, 65536), 0);
	assert_fails(profil_bsd(pages, page, TEXT, 65537), EINVAL);
	assert_int_equal(stand_in.count, 1);
	munmap(pages, 2 * page);
}

static void an_odd_buffer_is_refused(void **state)
{
	assert_fails(profil((void *)((char *)cells + 1), 64, TEXT, 65536), EINVAL);
	assert_int_equal(stand_in.count, 0);
}

/* "A 0, indicating success, is always returned": what cannot be counted is off then. */
static void some_never_fail(void **state)
{
	char *odd = (char *)cells + 1;

	for (int i = 0; i < 6; i++) {
		assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
		assert_int_equal(stand_in.count, 1);
		stand_in.first_probe = stand_in.second_probe = i < 3 ? 0 : -EPERM;
		switch (i % 3) {
		case 0:
			assert_int_equal(profil_irix((void *)odd, 64, TEXT, 65536), 0);
			break;
		case 1:
			assert_int_equal(profil_v7(odd, 64, TEXT, 65535), 0);
			break;
		default:
			assert_int_equal(profil_linux099(odd, 64, TEXT, 65536), 0);
		}
		assert_int_equal(stand_in.count, 0);
		stand_in.first_probe = stand_in.second_probe = 0;
	}
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	assert_int_equal(profil_irix(cells, sizeof(cells), TEXT, 65537), 0);
	assert_int_equal(stand_in.count, 0);
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

static void a_refusal_is_an_error(void **state)
{
	stand_in.first_probe = -EPERM;
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	assert_string_equal(stand_in.on[0]->ops->name, "perf");
	stand_in.second_probe = -EACCES;
	assert_fails(profil(cells, sizeof(cells), TEXT, 65536), EPERM);
	assert_int_equal(stand_in.count, 0);
	profil_hpux(cells, sizeof(cells), TEXT, 65536);
	assert_int_equal(stand_in.count, 0);
}

static void an_engine_that_fails_at_last_is_passed_over(void **state)
{
	stand_in.first_start = -EMFILE;
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	assert_string_equal(stand_in.on[0]->ops->name, "perf");
	setenv("PROFIL_ENGINE", "kernel", 1);
	assert_fails(profil(cells, sizeof(cells), TEXT, 65536), EMFILE);
	setenv("PROFIL_ENGINE", "perf", 1);
	assert_int_equal(profil(cells, sizeof(cells), TEXT, 65536), 0);
	assert_string_equal(stand_in.on[0]->ops->name, "perf");
}

/* As a list was on SVR4's heirs. */
static void pcsample_lists_and_tells_once(void **state)
{
	uintptr_t pcs[3] = {0};

	assert_int_equal(pcsample(pcs, 3), 0);
	assert_int_equal(stand_in.count, 1);
	assert_int_equal(stand_in.on[0]->options.period_ns, 10000000);
	stand_in_tick(TEXT + 1);
	stand_in_tick(UINTPTR_MAX);
	assert_int_equal(pcs[0], TEXT + 1);
	assert_int_equal(pcs[1], UINTPTR_MAX);
	assert_int_equal(pcs[2], 0);
	assert_int_equal(pcsample_svr4(pcs, 1), 2);
	assert_int_equal(stand_in.count, 1);
	for (int i = 0; i < 5; i++)
		stand_in_tick(TEXT);
	assert_int_equal(pcs[0], TEXT);
	assert_int_equal(pcs[1], UINTPTR_MAX);
	assert_int_equal(pcsample(NULL, 0), 1);
	assert_int_equal(stand_in.count, 0);
	assert_int_equal(pcsample(NULL, 0), 0);
}

static void pcsample_and_profil_replace_each_other(void **state)
{
	uintptr_t pcs[3] = {0};

	assert_int_equal(pcsample(pcs, 3), 0);
	stand_in_tick(TEXT);
	profil_svr4(cells, sizeof(cells), TEXT, 65536);
	assert_int_equal(stand_in.count, 1);
	stand_in_tick(TEXT);
	assert_int_equal(cells[0], 1);
	assert_int_equal(pcs[1], 0);
	assert_int_equal(pcsample(pcs, 3), 0);
	assert_int_equal(stand_in.count, 1);
	stand_in_tick(TEXT + 8);
	assert_int_equal(cells[0], 1);
	assert_int_equal(pcs[0], TEXT + 8);
	profil_svr4(cells, sizeof(cells), TEXT, 0);
	assert_int_equal(pcsample(NULL, 0), 0);
}

static void pcsamples_errors_harm_nothing(void **state)
{
	uintptr_t pcs[3] = {0};

	assert_int_equal(pcsample(pcs, 3), 0);
	assert_fails(pcsample(pcs, -1), EINVAL);
	assert_fails(pcsample(pcs, LONG_MIN), EINVAL);
	assert_int_equal(stand_in.count, 1);
	stand_in_tick(TEXT);
	stand_in.first_start = -EMFILE;
	stand_in.second_start = -ENOMEM;
	assert_fails(pcsample(pcs, 3), EMFILE);
	assert_int_equal(stand_in.count, 0);
	assert_int_equal(pcsample(NULL, 0), 1);
	stand_in.first_start = 0;
	assert_int_equal(pcsample(NULL, LONG_MAX), 0);
	assert_int_equal(pcsample(NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_tick_falls_in_a_cell, reset, reset),
		cmocka_unit_test_setup_teardown(each_call_replaces_the_one_before, reset, reset),
		cmocka_unit_test_setup_teardown(what_turns_off_is_the_systems, reset, reset),
		cmocka_unit_test_setup_teardown(bsd_ends_with_an_illegal_buffer, reset, reset),
		cmocka_unit_test_setup_teardown(an_odd_buffer_is_refused, reset, reset),
		cmocka_unit_test_setup_teardown(some_never_fail, reset, reset),
		cmocka_unit_test_setup_teardown(hpux_errors_are_in_order, reset, reset),
		cmocka_unit_test_setup_teardown(hpux_refuses_these, reset, reset),
		cmocka_unit_test_setup_teardown(the_array_is_looked_at_first, reset, reset),
		cmocka_unit_test_setup_teardown(flags_choose_the_width, reset, reset),
		cmocka_unit_test_setup_teardown(tvp_tells_the_tick, reset, reset),
		cmocka_unit_test_setup_teardown(a_refusal_is_an_error, reset, reset),
		cmocka_unit_test_setup_teardown(pcsample_lists_and_tells_once, reset, reset),
		cmocka_unit_test_setup_teardown(pcsample_and_profil_replace_each_other, reset,
						reset),
		cmocka_unit_test_setup_teardown(pcsamples_errors_harm_nothing, reset, reset),
		cmocka_unit_test_setup_teardown(an_engine_that_fails_at_last_is_passed_over, reset,
						reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
