// SPDX-License-Identifier: BSD-2-Clause
#include "base/keyset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/hash.h"
#include "hostile.h"

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

static uint64_t looked_at;

/* The members are the numbers themselves. */
static bool is_number(const void *set, uint32_t number, const void *key)
{
	(void)set;
	looked_at++;
	return number == *(const uint32_t *)key;
}

/* Members are far apart in memory: none is looked at that is not the one asked for, but for one in
 * 2^32, also when the table grows. */
static void test_members_are_left_alone(void **state)
{
	struct slots slots = {0};
	uint32_t count = 100000;

	(void)state;
	for (uint32_t i = 0; i < 2 * count; i++) {
		uint32_t key = i % count, *number;

		assert_int_equal(slots_grow(&slots, i < count ? i : count), 0);
		number = slots_find(&slots, is_number, NULL, &key, hash_bytes(&key, sizeof(key)));
		assert_int_equal(*number, i < count ? 0 : key + 1);
		*number = key + 1;
	}
	assert_in_range(looked_at, count, count + 16);
	slots_done(&slots);
}

/* Multiplied by a constant and folded, word by word, which is no secret: the second word undoes
 * what the first has done, and all keys are one. */
static uint64_t fold(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

static struct key hostile(uint64_t i)
{
	struct key key = {{i, fold(0, i), 7}};

	assert_true(fold(fold(fold(0, key.words[0]), key.words[1]), key.words[2]) == fold(0, 7));
	return key;
}

static void test_chosen_keys_cost_no_more(void **state)
{
	struct keyset keyset = {0};
	uint32_t number;

	for (uint64_t i = 0; i < HOSTILE_KEYS; i++) {
		struct key key = hostile(i);

		assert_int_equal(keyset_add(&keyset, &key, &number), 1);
	}
	assert_in_range(keyset.slots.looks, HOSTILE_KEYS, 2 * HOSTILE_LOOKS * HOSTILE_KEYS);
	for (uint64_t i = 0; i < HOSTILE_KEYS; i++) {
		uint64_t looks = keyset.slots.looks;
		struct key key = hostile(i);

		assert_int_equal(keyset_add(&keyset, &key, &number), 0);
		assert_int_equal(number, i);
		assert_in_range(keyset.slots.looks - looks, 1, HOSTILE_LOOKS);
	}
	keyset_done(&keyset);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_in_order_of_first_sight),
		cmocka_unit_test(test_every_word_counts),
		cmocka_unit_test(test_members_are_left_alone),
		cmocka_unit_test(test_chosen_keys_cost_no_more),
	};

	return cmocka_run_group_tests_name("keyset", tests, NULL, NULL);
}
