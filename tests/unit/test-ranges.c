// SPDX-License-Identifier: BSD-2-Clause
#include "libprofil/ranges.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "legacy.h"

/* AIX's profil() with several ranges of text, in buffers of one space. */

#define END                            \
	{                              \
		NULL, NULL, NULL, 0, 0 \
	}
#define SCALE_OF_SIZE UINT32_MAX

static char *at(uintptr_t address)
{
	return (char *)address;
}

static int profil_ranges(const struct range *ranges)
{
	return profil_aix((void *)ranges, SIZE_MAX, 0, 0);
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static uint16_t *pages(size_t count)
{
	void *memory = mmap(NULL, count * page_size(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	return memory;
}

static void each_range_has_its_buffer(void **state)
{
	struct range ranges[] = {
		{at(TEXT), at(TEXT + 64), cells, 64, SCALE_OF_SIZE},
		{at(TEXT + 64), at(TEXT + 128), cells + 32, 64, 2},
		END,
	};

	assert_int_equal(profil_ranges(ranges), 0);
	stand_in_tick(TEXT + 4);   /* AIX rounds up */
	stand_in_tick(TEXT + 126); /* all in one */
	stand_in_tick(TEXT + 128); /* nobody's */
	assert_int_equal(cells[2], 1);
	assert_int_equal(cells[32], 1);
	assert_int_equal(stand_in.on[0]->account.outside, 1);
}

/* In any order and with room between them, but of one piece. */
static void buffers_lie_in_one_space(void **state)
{
	const size_t step = page_size() / 2;
	uint16_t *space = pages(3);
	struct range ranges[] = {
		{at(TEXT), at(TEXT + 64), space + 2 * step, 64, SCALE_OF_SIZE},
		{at(TEXT + 64), at(TEXT + 128), space, 64, SCALE_OF_SIZE},
		END,
	};

	assert_int_equal(profil_ranges(ranges), 0);
	stand_in_tick(TEXT);
	stand_in_tick(TEXT + 64);
	assert_int_equal(space[2 * step], 1);
	assert_int_equal(space[0], 1);

	assert_int_equal(munmap(space + step, page_size()), 0);
	assert_fails(profil_ranges(ranges), EFAULT);
	assert_int_equal(stand_in.count, 0);
	/* A range that is off has no buffer. */
	ranges[0].scale = 0;
	assert_int_equal(profil_ranges(ranges), 0);
	assert_int_equal(stand_in.count, 1);
	munmap(space, 3 * page_size());
}

/* Of each the array has a sound range before it. */
static void wrong_ranges_are_refused(void **state)
{
	const struct {
		struct range range;
		int code;
		bool stays_on;
	} cases[] = {
		{{at(TEXT + 64), at(TEXT + 64), other, 64, 2}, EINVAL, true},  /* empty */
		{{at(TEXT + 65), at(TEXT + 64), other, 64, 2}, EINVAL, true},  /* less */
		{{at(TEXT + 63), at(TEXT + 128), other, 64, 2}, EINVAL, true}, /* not above */
		{{at(TEXT + 64), at(TEXT + 128), other, -1, 2}, EINVAL, true},
		{{at(TEXT + 64), at(TEXT + 128), NULL, 64, 2}, EFAULT, false},
		{{at(TEXT + 64), at(TEXT + 128), (void *)8, 64, 2}, EFAULT, false},
		{{at(TEXT + 64), at(TEXT + 128), (void *)((char *)other + 1), 64, 2},
		 EFAULT,
		 false},
		{{at(TEXT + 64), at(TEXT + 128), (void *)-64l, 128, 2}, EFAULT, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct range ranges[] = {
			{at(TEXT), at(TEXT + 64), cells, 64, 2}, cases[i].range, END};

		assert_int_equal(profil_aix(other, sizeof(other), TEXT, 2), 0);
		assert_fails(profil_ranges(ranges), cases[i].code);
		assert_int_equal(stand_in.count, cases[i].stays_on);
	}
}

/* The array itself, up to its end and no further. */
static void the_array_must_be_there(void **state)
{
	uint16_t *space = pages(2);
	struct range *last = (struct range *)((char *)space + page_size()) - 1;

	assert_int_equal(munmap((char *)space + page_size(), page_size()), 0);
	*last = (struct range)END;
	assert_int_equal(profil_ranges(last), 0);
	assert_int_equal(stand_in.count, 0);
	*last = (struct range){at(TEXT), at(TEXT + 64), cells, 64, 2};
	assert_fails(profil_ranges(last), EFAULT);
	assert_fails(profil_ranges((struct range *)16), EFAULT);
	munmap(space, page_size());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_range_has_its_buffer, reset, reset),
		cmocka_unit_test_setup_teardown(buffers_lie_in_one_space, reset, reset),
		cmocka_unit_test_setup_teardown(wrong_ranges_are_refused, reset, reset),
		cmocka_unit_test_setup_teardown(the_array_must_be_there, reset, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
