// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/scale.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/array.h"
#include "dice.h"

#include <inttypes.h>
#include <stdio.h>

#define VECTORS 20000

static const struct scale_rule kernel = {0}, glibc = {.divide_first = true},
			       research = {.round_up = true}, irix = {.two_is_all = true};
static const struct scale_rule *const rules[] = {&kernel, &glibc, &research, &irix};

struct vector {
	struct scale_rule rule;
	unsigned width;
	uint32_t scale;
	uint64_t distance, its_cell;
	uint64_t cell, its_distance;
};

static bool read_vector(FILE *file, struct vector *ret_vector)
{
	struct vector *v = ret_vector;
	unsigned divide_first, round_up, two_is_all;

	if (fscanf(file, "%u %u %u %u %" SCNu32, &divide_first, &round_up, &two_is_all, &v->width,
		   &v->scale) != 5)
		return false;
	v->rule = (struct scale_rule){divide_first, round_up, two_is_all};
	return fscanf(file, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &v->distance,
		      &v->its_cell, &v->cell, &v->its_distance) == 4;
}

static void agrees_with_exact_rationals(void **state)
{
	char command[] = "python3 '" TESTS "/unit/vectors.py' 00000";
	struct vector v;
	FILE *vectors;
	size_t count;

	(void)snprintf(command + sizeof(command) - 6, 6, "%d", VECTORS);
	vectors = popen(command, "r");
	assert_non_null(vectors);
	for (count = 0; read_vector(vectors, &v); count++) {
		assert_int_equal(scale_cell(&v.rule, v.distance, v.scale, v.width), v.its_cell);
		assert_int_equal(scale_distance(&v.rule, v.cell, v.scale, v.width), v.its_distance);
	}
	assert_int_equal(pclose(vectors), 0);
	assert_int_equal(count, VECTORS);
}

/* The law that joins the two, at each of COUNT cells. */
static void check_inverse(const struct scale_rule *rule, uint32_t scale, unsigned width,
			  uint64_t count)
{
	for (uint64_t cell = 1; cell <= count; cell++) {
		uint64_t distance = scale_distance(rule, cell, scale, width);

		assert_true(scale_cell(rule, distance - 1, scale, width) < cell);
		if (distance != UINT64_MAX)
			assert_true(scale_cell(rule, distance, scale, width) >= cell);
	}
}

static void the_inverse_is_one(void **state)
{
	uint64_t dice = 1;

	for (int i = 0; i < 200; i++) {
		const struct scale_rule *rule = rules[dice_below(&dice, ARRAY_LENGTH(rules))];
		uint32_t scale = (uint32_t)(dice_throw(&dice) >> (32 + dice_below(&dice, 31)));

		check_inverse(rule, scale, 1U << dice_below(&dice, 4), 300);
	}
	for (uint32_t scale = 0; scale <= 4; scale++)
		for (size_t i = 0; i < ARRAY_LENGTH(rules); i++)
			check_inverse(rules[i], scale, 2, 300);
}

static void cell_0_begins_at_once(void **state)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rules); i++) {
		assert_int_equal(scale_distance(rules[i], 0, 0, 2), 0);
		assert_int_equal(scale_distance(rules[i], 0, 65536, 2), 0);
	}
}

/* SVR4's kernel multiplies the halves of the distance apart; the result is the same. */
static void svr4_multiplies_by_halves(void **state)
{
	uint64_t dice = 4;

	for (int i = 0; i < 100000; i++) {
		uint64_t d = dice_throw(&dice) >> (16 + dice_below(&dice, 47));
		uint32_t s = (uint32_t)dice_below(&dice, 131073);
		uint64_t bytes = (d >> 16) * s + ((d & 0xffff) * s >> 16);

		assert_int_equal(scale_cell(&kernel, d, s, 2), bytes / 2);
	}
}

static void two_is_all_only_where_it_is(void **state)
{
	assert_int_equal(scale_cell(&irix, UINT64_MAX, 2, 2), 0);
	assert_int_equal(scale_distance(&irix, 1, 2, 2), UINT64_MAX);
	assert_int_equal(scale_cell(&kernel, 65536, 2, 2), 1);
	assert_int_equal(scale_distance(&kernel, 1, 2, 2), 65536);
	assert_int_equal(scale_cell(&irix, 65536, 3, 2), 1);
}

static void beyond_64_bits_is_the_largest(void **state)
{
	assert_int_equal(scale_cell(&kernel, UINT64_MAX, 131072, 1), UINT64_MAX);
	/* The bytes are beyond, the cell is not. */
	assert_int_equal(scale_cell(&kernel, UINT64_MAX, 131072, 2), UINT64_MAX);
	assert_int_equal(scale_cell(&kernel, UINT64_MAX, 131072, 4), UINT64_MAX / 2);
	assert_int_equal(scale_cell(&research, UINT64_MAX, 65536, 8), UINT64_C(1) << 61);
	assert_int_equal(scale_cell(&glibc, UINT64_MAX, UINT32_MAX, 8), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_exact_rationals),
		cmocka_unit_test(the_inverse_is_one),
		cmocka_unit_test(cell_0_begins_at_once),
		cmocka_unit_test(svr4_multiplies_by_halves),
		cmocka_unit_test(two_is_all_only_where_it_is),
		cmocka_unit_test(beyond_64_bits_is_the_largest),
	};

	return cmocka_run_group_tests_name("scale", tests, NULL, NULL);
}
