// SPDX-License-Identifier: BSD-2-Clause
#include "dos/prohst/wide.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "dice.h"

/* Against the machine's own 64 bits. */

#define TURNS 20000

static uint64_t dice;

/* Of any length in bits. */
static uint64_t draw(void)
{
	uint64_t thrown = dice_throw(&dice);

	return thrown >> (thrown & 63);
}

static struct wide wide_of(uint64_t value)
{
	struct wide wide;

	for (int i = 0; i < WIDE_BYTES; i++)
		wide.bytes[i] = (unsigned char)(value >> 8 * i);
	return wide;
}

static uint64_t value_of(const struct wide *wide)
{
	uint64_t value = 0;

	for (int i = WIDE_BYTES; i--;)
		value = value << 8 | wide->bytes[i];
	return value;
}

static void test_adds_and_multiplies(void **context)
{
	for (int i = 0; i < TURNS; i++) {
		uint64_t a = draw(), b = draw();
		struct wide sum = wide_of(a), difference = wide_of(a > b ? a : b);
		struct wide product = wide_of(a), times = wide_of(a), other = wide_of(b),
			    less = wide_of(a > b ? b : a);

		wide_add(&sum, &other);
		wide_subtract(&difference, &less);
		wide_multiply(&product, &other);
		wide_times(&times, (unsigned)b & 0xffff);
		assert_true(value_of(&sum) == a + b);
		assert_true(value_of(&difference) == (a > b ? a - b : b - a));
		assert_true(value_of(&product) == a * b);
		assert_true(value_of(&times) == a * (b & 0xffff));
	}
}

static void test_moves_and_looks_at_bits(void **context)
{
	for (int i = 0; i < TURNS; i++) {
		uint64_t a = draw();
		unsigned by = (unsigned)draw() & 63;
		struct wide left = wide_of(a), right = wide_of(a), whole = wide_of(a);

		wide_left(&left, by);
		wide_right(&right, by);
		assert_true(value_of(&left) == a << by);
		assert_true(value_of(&right) == a >> by);
		assert_int_equal(wide_bit(&whole, by), a >> by & 1);
		assert_int_equal(wide_bits(&whole), a ? 64 - __builtin_clzll(a) : 0);
		assert_int_equal(wide_word(&whole), a & 0xffff);
	}
}

static void test_compares(void **context)
{
	for (int i = 0; i < TURNS; i++) {
		uint64_t a = draw(), b = i & 1 ? draw() : a;
		struct wide one = wide_of(a), other = wide_of(b);
		int order = wide_compare(&one, &other);

		assert_int_equal(order > 0, a > b);
		assert_int_equal(order < 0, a < b);
	}
}

static void test_divides(void **context)
{
	for (int i = 0; i < TURNS; i++) {
		uint64_t a = draw(), b = (draw() >> 1) + 1;
		struct wide quotient = wide_of(a), divisor = wide_of(b), rest;

		wide_divide(&quotient, &divisor, &rest);
		assert_true(value_of(&quotient) == a / b);
		assert_true(value_of(&rest) == a % b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adds_and_multiplies),
		cmocka_unit_test(test_moves_and_looks_at_bits),
		cmocka_unit_test(test_compares),
		cmocka_unit_test(test_divides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
