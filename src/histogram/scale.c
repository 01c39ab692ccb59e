// SPDX-License-Identifier: BSD-2-Clause
#include "histogram/scale.h"

/* 64 bits times 32, over 65536, are 80; BPF and the 8086 have no type for that. */
struct wide {
	uint64_t low, high;
};

static struct wide wide_add(struct wide wide, uint64_t more)
{
	wide.low += more;
	wide.high += wide.low < more;
	return wide;
}

/* WIDE >> BITS, at most 3. */
static uint64_t wide_shifted(struct wide wide, unsigned bits)
{
	if (wide.high >> bits)
		return UINT64_MAX;
	return wide.low >> bits | wide.high << 1 << (63 - bits);
}

/* VALUE * SCALE >> 16.  The product of the upper half is a multiple of 2^32, so nothing of it is
 * shifted out and the floor of the sum is the sum of the floors. */
static struct wide scaled(uint64_t value, uint32_t scale)
{
	uint64_t upper = (value >> 32) * scale, lower = (uint64_t)(uint32_t)value * scale;

	return wide_add((struct wide){.low = upper << 16, .high = upper >> 48}, lower >> 16);
}

/* Not a builtin, which is a call on some machines. */
static unsigned width_bits(unsigned width)
{
	return (width >= 2) + (width >= 4) + (width >= 8);
}

uint64_t scale_cell(const struct scale_rule *rule, uint64_t distance, uint32_t scale,
		    unsigned width)
{
	unsigned bits = width_bits(width);
	struct wide bytes;

	if (rule->two_is_all && scale == 2)
		return 0;
	if (rule->divide_first)
		return wide_shifted(scaled(distance >> bits, scale), 0);
	bytes = scaled(distance, scale);
	if (rule->round_up)
		bytes = wide_add(bytes, width - 1);
	return wide_shifted(bytes, bits);
}

/* By halves, since every rule rises with the distance: an inverse that is right for all of them by
 * its definition, and for the next one. */
uint64_t scale_distance(const struct scale_rule *rule, uint64_t cell, uint32_t scale,
			unsigned width)
{
	uint64_t low = 0, high = UINT64_MAX;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (scale_cell(rule, middle, scale, width) >= cell)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
