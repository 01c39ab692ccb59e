// SPDX-License-Identifier: BSD-2-Clause
#include "base/strings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hostile.h"

static void the_empty_string_is_zero(void **state)
{
	struct strings *strings = strings_new();
	uint32_t id = 7;

	(void)state;
	assert_non_null(strings);
	assert_int_equal(strings_count(strings), 1);
	assert_int_equal(strings_add(strings, "", 0, &id), 0);
	assert_int_equal(id, 0);
	assert_string_equal(strings_get(strings, 0), "");
	assert_string_equal(strings_get(strings, 12345), "");
	strings_free(strings);
	strings_free(NULL);
}

/* Enough to grow every table several times; each is asked for again, and has kept its number. */
static void equal_strings_have_equal_numbers(void **state)
{
	struct strings *strings = strings_new();
	char text[32];
	uint32_t id;

	(void)state;
	for (uint32_t i = 1; i <= 20000; i++) {
		int length = snprintf(text, sizeof(text), "name %u", i);

		assert_int_equal(strings_add(strings, text, (size_t)length, &id), 0);
		assert_int_equal(id, i);
	}
	for (uint32_t i = 20000; i >= 1; i--) {
		int length = snprintf(text, sizeof(text), "name %u", i);

		assert_int_equal(strings_add(strings, text, (size_t)length, &id), 0);
		assert_int_equal(id, i);
		assert_string_equal(strings_get(strings, i), text);
	}
	assert_int_equal(strings_count(strings), 20001);
	strings_free(strings);
}

static void the_length_decides_not_the_terminator(void **state)
{
	struct strings *strings = strings_new();
	uint32_t abc, ab, inner;

	(void)state;
	assert_int_equal(strings_add(strings, "abc", 3, &abc), 0);
	assert_int_equal(strings_add(strings, "abc", 2, &ab), 0);
	assert_int_equal(strings_add(strings, "ab\0c", 4, &inner), 0);
	assert_int_not_equal(abc, ab);
	assert_int_not_equal(ab, inner);
	assert_string_equal(strings_get(strings, ab), "ab");
	assert_memory_equal(strings_get(strings, inner), "ab\0c", 5);
	strings_free(strings);
}

/* FNV-1a is no secret, and the low bits of a hash are of the low bits of the one before: so many
 * bits are all of it that a table of HOSTILE_KEYS sees. */
#define BITS 14
_Static_assert(HOSTILE_KEYS <= 1u << (BITS - 1), "its table has that many slots");
#define STEPS (BITS - 1)

static uint32_t fnv(uint32_t hash, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash & ((1u << BITS) - 1);
}

/* Two words of three letters that lead from HASH to the same.  Returns where. */
static uint32_t find_twins(uint32_t hash, char twins[2][3])
{
	static uint32_t seen[1u << BITS]; /* by hash: the number of the word + 1 */

	memset(seen, 0, sizeof(seen));
	for (uint32_t i = 0;; i++) {
		const char word[3] = {(char)('a' + i % 26), (char)('a' + i / 26 % 26),
				      (char)('a' + i / 676 % 26)};
		uint32_t to = fnv(hash, word, 3), other = seen[to];

		memcpy(twins[1], word, 3);
		if (other--) {
			twins[0][0] = (char)('a' + other % 26);
			twins[0][1] = (char)('a' + other / 26 % 26);
			twins[0][2] = (char)('a' + other / 676 % 26);
			return to;
		}
		seen[to] = i + 1;
	}
}

/* Of each pair one or the other: as many texts as there are choices, with one hash. */
static void chosen_strings_cost_no_more(void **state)
{
	struct strings *strings = strings_new();
	char twins[STEPS][2][3], text[3 * STEPS];
	uint32_t hash = fnv(2166136261u, "", 0), all = hash, id;

	(void)state;
	for (int i = 0; i < STEPS; i++)
		all = find_twins(all, twins[i]);
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t key = 0; key < HOSTILE_KEYS; key++) {
			uint64_t looks = strings_looks(strings);

			for (int i = 0; i < STEPS; i++)
				memcpy(text + 3 * i, twins[i][key >> i & 1], 3);
			assert_int_equal(fnv(hash, text, sizeof(text)), all);
			assert_int_equal(strings_add(strings, text, sizeof(text), &id), 0);
			assert_int_equal(id, key + 1);
			if (round)
				assert_in_range(strings_looks(strings) - looks, 1, HOSTILE_LOOKS);
		}
		assert_in_range(strings_looks(strings), HOSTILE_KEYS,
				4 * HOSTILE_LOOKS * HOSTILE_KEYS);
	}
	strings_free(strings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_empty_string_is_zero),
		cmocka_unit_test(equal_strings_have_equal_numbers),
		cmocka_unit_test(the_length_decides_not_the_terminator),
		cmocka_unit_test(chosen_strings_cost_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
