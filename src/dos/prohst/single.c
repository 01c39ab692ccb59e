/* SPDX-License-Identifier: BSD-2-Clause */
#include "dos/prohst/single.h"

#define MANTISSA 24

/* Whether any of the lowest COUNT bits is set. */
static int has_bits_below(const struct wide *wide, unsigned count)
{
	unsigned i;

	for (i = 0; i < count >> 3; i++)
		if (wide->bytes[i])
			return 1;
	return (wide->bytes[i] & ((1 << (count & 7)) - 1)) != 0;
}

/* Divide by 2 to COUNT (1 to 63) and round to the nearest, halves to the even one.  STICKY: the
 * true value is a little greater than VALUE. */
static void round_right(struct wide *value, unsigned count, int sticky)
{
	struct wide one;
	int half, more;

	half = (int)wide_bit(value, count - 1);
	more = sticky || has_bits_below(value, count - 1);
	wide_right(value, count);
	if (!half || (!more && !wide_bit(value, 0)))
		return;
	wide_set(&one, 1);
	wide_add(value, &one);
}

/* VALUE times 2 to EXPONENT, a little more where STICKY. */
static void settle(struct single *ret_single, struct wide *value, int exponent, int sticky)
{
	unsigned bits;

	bits = wide_bits(value);
	if (bits > MANTISSA) {
		round_right(value, bits - MANTISSA, sticky);
		exponent += (int)(bits - MANTISSA);
		bits = wide_bits(value); /* one more where all ones were rounded up */
	}
	if (bits > MANTISSA)
		wide_right(value, 1);
	else if (bits)
		wide_left(value, MANTISSA - bits);
	if (bits)
		exponent += (int)bits - MANTISSA;
	ret_single->mantissa = *value;
	ret_single->exponent = bits ? exponent : 0;
}

void single_set(struct single *single, unsigned value)
{
	struct wide whole;

	wide_set(&whole, value);
	settle(single, &whole, 0, 0);
}

/* A bit that lies more than 39 places below the other number's last one only says "a little more".
 */
void single_add(struct single *a, const struct single *b)
{
	struct single high, low;
	struct wide sum;
	int apart;

	high = *a;
	low = *b;
	if (!wide_bits(&low.mantissa))
		return;
	if (!wide_bits(&high.mantissa) || high.exponent < low.exponent) {
		high = *b;
		low = *a;
	}
	if (!wide_bits(&low.mantissa)) {
		*a = high;
		return;
	}
	apart = high.exponent - low.exponent;
	sum = high.mantissa;
	if (apart > 39) {
		wide_left(&sum, 2);
		settle(a, &sum, high.exponent - 2, 1);
		return;
	}
	wide_left(&sum, (unsigned)apart);
	wide_add(&sum, &low.mantissa);
	settle(a, &sum, low.exponent, 0);
}

void single_multiply(struct single *a, const struct single *b)
{
	struct wide product;

	product = a->mantissa;
	wide_multiply(&product, &b->mantissa);
	settle(a, &product, a->exponent + b->exponent, 0);
}

void single_divide(struct single *a, const struct single *b)
{
	struct wide quotient, rest;

	quotient = a->mantissa;
	wide_left(&quotient, 39);
	wide_divide(&quotient, &b->mantissa, &rest);
	settle(a, &quotient, a->exponent - 39 - b->exponent, wide_bits(&rest) != 0);
}

/* VALUE times FACTOR to the nearest whole number, halves up. */
static void times_rounded(const struct single *value, unsigned factor, struct wide *ret_product)
{
	struct wide half;

	*ret_product = value->mantissa;
	wide_times(ret_product, factor);
	if (value->exponent >= 0) {
		wide_left(ret_product, (unsigned)value->exponent);
		return;
	}
	if (value->exponent < -62) {
		wide_set(ret_product, 0);
		return;
	}
	wide_set(&half, 1);
	wide_left(&half, (unsigned)(-value->exponent - 1));
	wide_add(ret_product, &half);
	wide_right(ret_product, (unsigned)-value->exponent);
}

void single_tenths(const struct single *value, struct wide *ret_tenths)
{
	times_rounded(value, 10, ret_tenths);
}

void single_tenths_of_7(const struct single *value, struct wide *ret_tenths)
{
	struct wide limit;

	wide_set(&limit, 10000);
	wide_times(&limit, 1000);
	single_tenths(value, ret_tenths);
	if (wide_compare(ret_tenths, &limit) < 0)
		return;
	times_rounded(value, 1, ret_tenths);
	wide_times(ret_tenths, 10);
}

/* PROHST 1.0 divides in double precision.  The quotient of a power of two and a mantissa of 24 bits
 * is never so near below a half of a tenth that 53 bits would round it to that, so the exact one
 * prints the same.  20 times 2^49 is the most there is: 100 / (65,535 buckets of 65,535) is 2^-25.
 */
void single_tenths_of_inverse(const struct single *value, struct wide *ret_tenths)
{
	struct wide one, rest;

	wide_set(ret_tenths, 20);
	wide_left(ret_tenths, (unsigned)-value->exponent);
	wide_divide(ret_tenths, &value->mantissa, &rest);
	wide_set(&one, 1);
	wide_add(ret_tenths, &one);
	wide_right(ret_tenths, 1);
}

unsigned single_round(const struct single *value)
{
	struct wide whole;

	whole = value->mantissa;
	if (value->exponent == -MANTISSA && !whole.bytes[0])
		return 0;
	if (value->exponent >= 0)
		wide_left(&whole, (unsigned)value->exponent);
	else if (value->exponent < -63)
		wide_set(&whole, 0);
	else
		round_right(&whole, (unsigned)-value->exponent, 0);
	return wide_word(&whole);
}
