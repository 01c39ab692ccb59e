/* SPDX-License-Identifier: BSD-2-Clause */
#include "dos/prohst/wide.h"

/* A byte times a byte is 16 bits at most, which every int of both compilers holds. */

void wide_set(struct wide *wide, unsigned word)
{
	int i;

	for (i = 0; i < WIDE_BYTES; i++) {
		wide->bytes[i] = word & 0xff;
		word >>= 8;
	}
}

void wide_add(struct wide *sum, const struct wide *plus)
{
	unsigned carry = 0;
	int i;

	for (i = 0; i < WIDE_BYTES; i++) {
		carry += (unsigned)sum->bytes[i] + plus->bytes[i];
		sum->bytes[i] = carry & 0xff;
		carry >>= 8;
	}
}

void wide_subtract(struct wide *difference, const struct wide *minus)
{
	unsigned take, borrow = 0;
	int i;

	for (i = 0; i < WIDE_BYTES; i++) {
		take = minus->bytes[i] + borrow;
		borrow = take > difference->bytes[i];
		difference->bytes[i] = (difference->bytes[i] + 256 - take) & 0xff;
	}
}

static void left_bytes(struct wide *wide, unsigned count)
{
	int i;

	for (i = WIDE_BYTES - 1; i >= 0; i--)
		wide->bytes[i] = (unsigned)i >= count ? wide->bytes[i - (int)count] : 0;
}

static void right_bytes(struct wide *wide, unsigned count)
{
	unsigned i;

	for (i = 0; i < WIDE_BYTES; i++)
		wide->bytes[i] = i + count < WIDE_BYTES ? wide->bytes[i + count] : 0;
}

static void times_byte(struct wide *product, unsigned factor)
{
	unsigned carry = 0;
	int i;

	for (i = 0; i < WIDE_BYTES; i++) {
		carry += product->bytes[i] * factor;
		product->bytes[i] = carry & 0xff;
		carry >>= 8;
	}
}

void wide_multiply(struct wide *product, const struct wide *factor)
{
	struct wide sum, part;
	int i = WIDE_BYTES - 1;

	wide_set(&sum, 0);
	while (i > 0 && !factor->bytes[i])
		i--;
	for (; i >= 0; i--) {
		left_bytes(&sum, 1);
		part = *product;
		times_byte(&part, factor->bytes[i]);
		wide_add(&sum, &part);
	}
	*product = sum;
}

void wide_times(struct wide *product, unsigned factor)
{
	struct wide high;

	high = *product;
	times_byte(&high, (factor >> 8) & 0xff);
	wide_left(&high, 8);
	times_byte(product, factor & 0xff);
	wide_add(product, &high);
}

void wide_left(struct wide *wide, unsigned count)
{
	left_bytes(wide, count >> 3);
	for (count &= 7; count; count--)
		wide_add(wide, wide);
}

void wide_right(struct wide *wide, unsigned count)
{
	unsigned down;
	int i;

	right_bytes(wide, count >> 3);
	for (count &= 7; count; count--)
		for (i = 0; i < WIDE_BYTES; i++) {
			down = i + 1 < WIDE_BYTES ? wide->bytes[i + 1] & 1 : 0;
			wide->bytes[i] = ((unsigned)wide->bytes[i] >> 1 | down << 7) & 0xff;
		}
}

int wide_compare(const struct wide *a, const struct wide *b)
{
	int i;

	for (i = WIDE_BYTES - 1; i >= 0; i--)
		if (a->bytes[i] != b->bytes[i])
			return a->bytes[i] < b->bytes[i] ? -1 : 1;
	return 0;
}

unsigned wide_bit(const struct wide *wide, unsigned number)
{
	return (wide->bytes[number >> 3] >> (number & 7)) & 1;
}

unsigned wide_bits(const struct wide *wide)
{
	unsigned bits = 8 * WIDE_BYTES;

	while (bits && !wide->bytes[(bits - 1) >> 3])
		bits -= 8;
	while (bits && !wide_bit(wide, bits - 1))
		bits--;
	return bits;
}

unsigned wide_word(const struct wide *wide)
{
	return wide->bytes[0] + ((unsigned)wide->bytes[1] << 8);
}

/* As on paper, a bit at a time.  The rest stays below twice the divisor: no divisor here has more
 * than 63 bits. */
void wide_divide(struct wide *quotient, const struct wide *divisor, struct wide *ret_rest)
{
	struct wide rest, result;
	unsigned bit;

	wide_set(&rest, 0);
	wide_set(&result, 0);
	for (bit = wide_bits(quotient); bit; bit--) {
		wide_add(&rest, &rest);
		if (wide_bit(quotient, bit - 1))
			rest.bytes[0] |= 1;
		wide_add(&result, &result);
		if (wide_compare(&rest, divisor) >= 0) {
			wide_subtract(&rest, divisor);
			result.bytes[0] |= 1;
		}
	}
	*quotient = result;
	*ret_rest = rest;
}
