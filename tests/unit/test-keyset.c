// SPDX-License-Identifier: BSD-2-Clause
#include "base/keyset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct key nth(uint64_t i)
{
	/* Words that differ in high bits only, in low bits only, and in place. */
	return (struct key){{i << 32, i % 7, i << 20 | i}};
}

static void test_numbers_in_order_of_first_sight(void **state)
{
	struct keyset keyset = {0};
	uint32_t number;

	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < 5000; i++) {
			struct key key = nth(i);

			assert_int_equal(keyset_add(&keyset, &key, &number), round == 0);
			assert_int_equal(number, i);
		}
	}
	assert_int_equal(keyset.count, 5000);
	keyset_done(&keyset);
	assert_int_equal(keyset.count, 0);
}

static void test_every_word_counts(void **state)
{
	struct keyset keyset = {0};
	const struct key keys[] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}, {{0, 0, 0}}};
	uint32_t number;

	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(keyset_add(&keyset, &keys[i], &number), 1);
		assert_int_equal(number, i);
	}
	keyset_done(&keyset);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_in_order_of_first_sight),
		cmocka_unit_test(test_every_word_counts),
	};

	return cmocka_run_group_tests_name("keyset", tests, NULL, NULL);
}
