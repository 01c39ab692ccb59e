// SPDX-License-Identifier: BSD-2-Clause
#include "engine/timer/inside/ledger.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <errno.h>

static void lines_stay_where_they_are(void **state)
{
	struct ledger ledger = {.period_ns = 10};
	const uint32_t count = 100000;

	assert_null(ledger_line(&ledger, 0));
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(ledger_reserve(&ledger, i), 0);
		ledger_line(&ledger, i)->base = i;
	}
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(ledger_line(&ledger, i)->base, i);
	ledger_done(&ledger);
	assert_null(ledger_line(&ledger, count - 1));
}

static void there_is_an_end(void **state)
{
	struct ledger ledger = {.period_ns = 10};

	assert_int_equal(ledger_reserve(&ledger, LEDGER_LINES), -EAGAIN);
	assert_null(ledger_line(&ledger, LEDGER_LINES));
	assert_int_equal(ledger_reserve(&ledger, LEDGER_LINES - 1), 0);
	assert_non_null(ledger_line(&ledger, LEDGER_LINES - 1));
	ledger_done(&ledger);
}

static void owes_what_is_due_and_was_not_had(void **state)
{
	struct ledger ledger = {.period_ns = 10};
	struct ledger_line line = {.base = 95, .ticks = 2};

	assert_int_equal(ledger_next(&ledger, &line), 125);
	assert_int_equal(ledger_owed(&ledger, &line, 124), 0);
	assert_int_equal(ledger_owed(&ledger, &line, 125), 1);
	assert_int_equal(ledger_owed(&ledger, &line, 1094), 97);
	assert_int_equal(ledger_owed(&ledger, &line, 0), 0);
}

/* A base before the thread's birth. */
static void a_base_below_zero_is_one(void **state)
{
	struct ledger ledger = {.period_ns = 10};
	struct ledger_line line = {.base = (uint64_t)-3};

	assert_int_equal(ledger_next(&ledger, &line), 7);
	assert_int_equal(ledger_owed(&ledger, &line, 6), 0);
	assert_int_equal(ledger_owed(&ledger, &line, 7), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_stay_where_they_are),
		cmocka_unit_test(there_is_an_end),
		cmocka_unit_test(owes_what_is_due_and_was_not_had),
		cmocka_unit_test(a_base_below_zero_is_one),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
