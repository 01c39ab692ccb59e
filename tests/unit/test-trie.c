// SPDX-License-Identifier: BSD-2-Clause
#include "base/trie.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "hostile.h"

#define FANS 70
#define DEEP 50

/* Paths that part at the root and at each node of the second level, and then go on alone.  Returns
 * how many were new. */
static uint32_t add_all(struct trie *trie, uint32_t numbers[FANS][FANS][DEEP])
{
	uint32_t added = 0;

	for (uint64_t i = 0; i < FANS; i++) {
		for (uint64_t j = 0; j < FANS; j++) {
			uint32_t at = 0;

			/* Labels that differ in high bits only, in low bits only, and not at all.
			 */
			for (uint64_t k = 0; k < DEEP; k++) {
				uint64_t label = k == 0 ? i << 40 : k == 1 ? j : 7;
				int ret = trie_add(trie, at, label, &at);

				assert_in_range(ret, 0, 1);
				added += (uint32_t)ret;
				numbers[i][j][k] = at;
			}
		}
	}
	return added;
}

static void test_numbers_are_of_paths(void **state)
{
	static uint32_t first[FANS][FANS][DEEP], again[FANS][FANS][DEEP];
	const uint32_t count = FANS + FANS * FANS * (DEEP - 1);
	struct trie trie = {0};

	(void)state;
	assert_int_equal(add_all(&trie, first), count);
	assert_int_equal(trie.count, count);
	assert_int_equal(add_all(&trie, again), 0);
	assert_memory_equal(first, again, sizeof(first));
	for (uint32_t i = 0; i < FANS; i++) {
		for (uint32_t j = 0; j < FANS; j++) {
			for (uint32_t k = 1; k < DEEP; k++)
				assert_int_equal(trie.nodes[first[i][j][k]].parent,
						 first[i][j][k - 1]);
			assert_int_equal(trie.nodes[first[i][j][0]].parent, 0);
			assert_int_equal(trie.nodes[first[i][j][0]].label, (uint64_t)i << 40);
			assert_int_equal(trie.nodes[first[i][j][1]].label, j);
		}
	}
	trie_done(&trie);
	assert_int_equal(trie.count, 0);
}

/* In order of first sight, from 1; and a path that does not part is in no table. */
static void test_a_path_alone_needs_no_table(void **state)
{
	struct trie trie = {0};
	uint32_t at = 0;

	(void)state;
	for (uint32_t i = 1; i <= 5000; i++) {
		assert_int_equal(trie_add(&trie, at, 5, &at), 1);
		assert_int_equal(at, i);
	}
	assert_int_equal(trie.slots.count, 0);
	assert_int_equal(trie_add(&trie, 0, 6, &at), 1);
	assert_int_equal(at, 5001);
	assert_int_equal(trie.parted, 1);
	trie_done(&trie);
}

/* Labels that a table without a secret would have in one place: multiples of its size. */
static void test_chosen_labels_cost_no_more(void **state)
{
	struct trie trie = {0};
	uint32_t number;

	(void)state;
	for (uint64_t i = 0; i < HOSTILE_KEYS; i++)
		assert_int_equal(trie_add(&trie, 0, i << 32, &number), 1);
	assert_in_range(trie.slots.looks, HOSTILE_KEYS / 2, 2 * HOSTILE_LOOKS * HOSTILE_KEYS);
	trie_done(&trie);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_are_of_paths),
		cmocka_unit_test(test_a_path_alone_needs_no_table),
		cmocka_unit_test(test_chosen_labels_cost_no_more),
	};

	return cmocka_run_group_tests_name("trie", tests, NULL, NULL);
}
