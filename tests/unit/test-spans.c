// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/spans.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define NOBODY UINT64_MAX

static uint64_t owner(const struct spans *spans, uint64_t address)
{
	const struct span *span = spans_find(spans, address);

	return span ? span->value : NOBODY;
}

static void empty_has_nothing(void **state)
{
	struct spans spans = {0};

	assert_int_equal(spans_finish(&spans, spans_by_rank), 0);
	assert_null(spans_find(&spans, 0));
	assert_null(spans_find(&spans, UINT64_MAX));
	spans_done(&spans);
}

static void ends_are_open(void **state)
{
	struct spans spans = {0};

	assert_int_equal(spans_add(&spans, 20, 30, 0, 2), 0);
	assert_int_equal(spans_add(&spans, 10, 15, 0, 1), 0);
	assert_int_equal(spans_add(&spans, 40, 40, 0, 3), 0);
	assert_int_equal(spans_finish(&spans, spans_by_rank), 0);
	assert_int_equal(spans.count, 2);
	assert_int_equal(owner(&spans, 9), NOBODY);
	assert_int_equal(owner(&spans, 10), 1);
	assert_int_equal(owner(&spans, 14), 1);
	assert_int_equal(owner(&spans, 15), NOBODY);
	assert_int_equal(owner(&spans, 20), 2);
	assert_int_equal(owner(&spans, 30), NOBODY);
	assert_int_equal(owner(&spans, 40), NOBODY);
	spans_done(&spans);
}

static void the_inner_one_wins_and_the_outer_goes_on(void **state)
{
	struct spans spans = {0};

	assert_int_equal(spans_add(&spans, 0, 100, 0, 1), 0);
	assert_int_equal(spans_add(&spans, 40, 60, 0, 2), 0);
	assert_int_equal(spans_add(&spans, 50, 55, 0, 3), 0);
	assert_int_equal(spans_finish(&spans, spans_by_rank), 0);
	assert_int_equal(owner(&spans, 39), 1);
	assert_int_equal(owner(&spans, 40), 2);
	assert_int_equal(owner(&spans, 54), 3);
	assert_int_equal(owner(&spans, 55), 2);
	assert_int_equal(owner(&spans, 60), 1);
	assert_int_equal(owner(&spans, 100), NOBODY);
	spans_done(&spans);
}

static void rank_decides_at_one_start(void **state)
{
	struct spans spans = {0};

	assert_int_equal(spans_add(&spans, 10, 20, 7, 1), 0);
	assert_int_equal(spans_add(&spans, 10, 40, 3, 2), 0);
	assert_int_equal(spans_add(&spans, 10, 30, 3, 3), 0);
	assert_int_equal(spans_finish(&spans, spans_by_rank), 0);
	assert_int_equal(owner(&spans, 10), 1);
	assert_int_equal(owner(&spans, 20), 2);
	assert_int_equal(owner(&spans, 39), 2);
	spans_done(&spans);
}

/* Against the definition, by brute force. */
static void random_ranges_agree_with_the_rule(void **state)
{
	struct span added[200];
	struct spans spans = {0};

	srand(1983);
	for (size_t i = 0; i < 200; i++) {
		uint64_t start = (uint64_t)rand() % 1000;

		added[i] = (struct span){start, start + (uint64_t)rand() % 100, i, 0};
		assert_int_equal(spans_add(&spans, start, added[i].end, 0, i), 0);
	}
	assert_int_equal(spans_finish(&spans, spans_by_rank), 0);
	for (uint64_t address = 0; address < 1200; address++) {
		uint64_t expected = NOBODY, latest = 0;

		for (size_t i = 200; i-- > 0;)
			if (added[i].start <= address && address < added[i].end &&
			    added[i].start >= latest) {
				latest = added[i].start;
				expected = i;
			}
		assert_int_equal(owner(&spans, address), expected);
	}
	spans_done(&spans);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_has_nothing),
		cmocka_unit_test(ends_are_open),
		cmocka_unit_test(the_inner_one_wins_and_the_outer_goes_on),
		cmocka_unit_test(rank_decides_at_one_start),
		cmocka_unit_test(random_ranges_agree_with_the_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
