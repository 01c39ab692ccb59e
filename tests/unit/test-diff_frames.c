// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "random_profile.h"

/* Rows by frame are the rows by path, each with all below it. */

#define RUNS 3

static struct profile *make_profile(uint64_t *dice)
{
	struct profile *profile = profile_new();

	assert_non_null(profile);
	profile->facts.period_ns = 1000000;
	for (int i = 0; i < 80; i++)
		random_cell(dice, profile);
	profile->facts.samples = 0;
	for (size_t i = 0; i < profile->cell_count; i++) {
		profile->cells[i].ticks = dice_below(dice, 40);
		profile->facts.samples += profile->cells[i].ticks;
	}
	return profile;
}

static int compare_parts(const void *left, const void *right)
{
	return memcmp(left, right, DIFF_SIDES * sizeof(uint64_t));
}

/* What each row of DIFF has for itself alone, in order, where it has any. */
static size_t own_parts(const struct diff *diff, uint64_t (*ret_parts)[DIFF_SIDES])
{
	size_t count = 0;

	for (size_t i = 0; i < diff->row_count; i++)
		for (int side = 0; side < DIFF_SIDES; side++) {
			ret_parts[i][side] += diff->rows[i].parts[side].ticks;
			if (diff->rows[i].parent)
				ret_parts[diff->rows[i].parent - 1][side] -=
					diff->rows[i].parts[side].ticks;
		}
	for (size_t i = 0; i < diff->row_count; i++)
		if (ret_parts[i][DIFF_BEFORE] || ret_parts[i][DIFF_AFTER])
			memmove(ret_parts[count++], ret_parts[i], sizeof(*ret_parts));
	qsort(ret_parts, count, sizeof(*ret_parts), compare_parts);
	return count;
}

static void check_order(const struct diff *diff)
{
	uint64_t roots[DIFF_SIDES] = {0};

	for (size_t i = 0; i < diff->row_count; i++) {
		const struct diff_row *row = &diff->rows[i];

		assert_true(row->parent <= i);
		assert_int_equal(row->depth,
				 row->parent ? diff->rows[row->parent - 1].depth + 1 : 0);
		assert_true(!i || row->depth >= row[-1].depth);
		for (int side = 0; side < DIFF_SIDES && !row->parent; side++)
			roots[side] += row->parts[side].ticks;
	}
	for (int side = 0; side < DIFF_SIDES; side++)
		assert_int_equal(roots[side], diff->totals[side].ticks);
}

static void check(struct profile *const *runs)
{
	const struct diff_profiles sides[DIFF_SIDES] = {{runs, RUNS}, {runs + RUNS, RUNS}};
	struct diff *diffs[2];
	uint64_t(*parts[2])[DIFF_SIDES];
	size_t counts[2];

	for (int i = 0; i < 2; i++) {
		const struct diff_options options = {
			.by = TABLE_BY_FUNCTION, .by_path = !i, .by_frame = i};

		assert_int_equal(diff_build(sides, &options, &diffs[i], NULL), 0);
		parts[i] = calloc(diffs[i]->row_count, sizeof(**parts));
		assert_non_null(parts[i]);
		counts[i] = own_parts(diffs[i], parts[i]);
	}
	check_order(diffs[1]);
	assert_true(diffs[1]->row_count > diffs[0]->row_count);
	assert_int_equal(counts[0], counts[1]);
	assert_memory_equal(parts[0], parts[1], counts[0] * sizeof(**parts));
	for (int i = 0; i < 2; i++) {
		free(parts[i]);
		(void)diff_free(diffs[i]);
	}
}

static void test_frames_are_paths_with_all_below_them(void **state)
{
	uint64_t dice = 41;

	for (int round = 0; round < 25; round++) {
		struct profile *runs[DIFF_SIDES * RUNS];

		for (int i = 0; i < DIFF_SIDES * RUNS; i++)
			runs[i] = make_profile(&dice);
		check(runs);
		for (int i = 0; i < DIFF_SIDES * RUNS; i++)
			(void)profile_free(runs[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames_are_paths_with_all_below_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
