// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "legacy.h"

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
		cmocka_unit_test_setup_teardown(pcsample_lists_and_tells_once, reset, reset),
		cmocka_unit_test_setup_teardown(pcsample_and_profil_replace_each_other, reset,
						reset),
		cmocka_unit_test_setup_teardown(pcsamples_errors_harm_nothing, reset, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
