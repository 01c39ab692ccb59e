// SPDX-License-Identifier: BSD-2-Clause
#include "dos/prohst/single.h"

#include <math.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "dice.h"

/* Against the machine's own single precision, which rounds by the same standard. */

#define TURNS 20000

static uint64_t dice;

static unsigned draw(void)
{
	uint64_t thrown = dice_throw(&dice);

	return (unsigned)(thrown >> 16 & 0xffff) >> (thrown & 15);
}

static double value_of(const struct single *single)
{
	double mantissa = 0;

	for (int i = WIDE_BYTES; i--;)
		mantissa = mantissa * 256 + single->mantissa.bytes[i];
	return ldexp(mantissa, single->exponent);
}

static uint64_t whole(const struct wide *wide)
{
	uint64_t value = 0;

	for (int i = WIDE_BYTES; i--;)
		value = value << 8 | wide->bytes[i];
	return value;
}

/* A / B, which has a full mantissa. */
static struct single ratio(unsigned a, unsigned b)
{
	struct single quotient, divisor;

	single_set(&quotient, a);
	single_set(&divisor, b);
	single_divide(&quotient, &divisor);
	return quotient;
}

static void test_sets_exactly(void **context)
{
	for (unsigned i = 0; i <= 65535; i++) {
		struct single single;

		single_set(&single, i);
		assert_true(value_of(&single) == i);
	}
}

static void test_rounds_as_the_machine(void **context)
{
	for (int i = 0; i < TURNS; i++) {
		unsigned a = draw(), b = draw() + 1, c = draw(), d = draw() + 1;
		volatile float x = (float)a / (float)b, y = (float)c / (float)d;
		volatile float sum = x + y, product = x * y;
		struct single one = ratio(a, b), other = ratio(c, d), added = one, times = one;

		single_add(&added, &other);
		single_multiply(&times, &other);
		assert_true(value_of(&one) == (double)x);
		assert_true(value_of(&added) == (double)sum);
		assert_true(value_of(&times) == (double)product);
	}
}

/* As many as a sum of buckets has terms. */
static void test_adds_up_as_the_machine(void **context)
{
	volatile float machine = 0;
	struct single sum, term = ratio(100, 3);

	single_set(&sum, 0);
	for (int i = 0; i < 65535; i++) {
		machine += 100.0f / 3.0f;
		single_add(&sum, &term);
	}
	assert_true(value_of(&sum) == (double)machine);
}

static void test_adds_what_is_far_smaller(void **context)
{
	struct single large = ratio(65535, 1), small = ratio(1, 65535), sum = large, other = small;

	for (int i = 0; i < 3; i++)
		single_multiply(&other, &small);
	single_add(&sum, &other);
	assert_true(value_of(&sum) == value_of(&large));
	sum = other;
	single_add(&sum, &large);
	assert_true(value_of(&sum) == value_of(&large));
}

/* A single times ten and a half is exact in a double. */
static void test_tenths_round_halves_up(void **context)
{
	for (int i = 0; i < TURNS; i++) {
		struct single single = ratio(draw(), draw() + 1);
		struct wide tenths;

		single_tenths(&single, &tenths);
		assert_true((double)whole(&tenths) == floor(value_of(&single) * 10 + 0.5));
	}
}

/* From 1,000,000 on there is no decimal. */
static void test_tenths_of_7_digits(void **context)
{
	for (int i = 0; i < TURNS; i++) {
		struct single single = ratio(100, draw() % 50 + 1), hits;
		struct wide tenths;
		double value;

		single_set(&hits, draw());
		single_multiply(&single, &hits);
		value = value_of(&single);
		single_tenths_of_7(&single, &tenths);
		assert_true(
			(double)whole(&tenths) ==
			(value < 999999.95 ? floor(value * 10 + 0.5) : 10 * floor(value + 0.5)));
	}
}

/* Of all sums that one bucket has, and of large ones. */
static void test_tenths_of_inverse(void **context)
{
	struct single sum, norm, term;
	struct wide tenths;

	single_set(&sum, 0);
	for (unsigned i = 1; i <= 131072; i++) {
		single_set(&term, i <= 65536 ? 1 : 65535 - i % 3);
		single_add(&sum, &term);
		single_set(&norm, 100);
		single_divide(&norm, &sum);
		single_tenths_of_inverse(&norm, &tenths);
		assert_true((double)whole(&tenths) == floor(1 / value_of(&norm) * 10 + 0.5));
	}
}

/* Whether PROHST 1.0 takes it for less than a half. */
static bool has_fault(double product)
{
	return product >= 0.5 && product < 1 && !((unsigned)ldexp(product, 24) & 0xff);
}

/* rint() rounds halves to even. */
static void test_rounds_halves_to_even(void **context)
{
	unsigned faults = 0;

	for (unsigned greatest = 1; greatest <= 400; greatest++) {
		for (unsigned count = 0; count <= greatest; count++) {
			struct single product = ratio(45, greatest), bucket;
			double value;

			single_set(&bucket, count);
			single_multiply(&product, &bucket);
			value = value_of(&product);
			faults += has_fault(value);
			assert_true(single_round(&product) ==
				    (has_fault(value) ? 0 : (unsigned)rint(value)));
		}
	}
	assert_true(faults > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sets_exactly),
		cmocka_unit_test(test_rounds_as_the_machine),
		cmocka_unit_test(test_adds_up_as_the_machine),
		cmocka_unit_test(test_adds_what_is_far_smaller),
		cmocka_unit_test(test_tenths_round_halves_up),
		cmocka_unit_test(test_tenths_of_7_digits),
		cmocka_unit_test(test_tenths_of_inverse),
		cmocka_unit_test(test_rounds_halves_to_even),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
