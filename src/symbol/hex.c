// SPDX-License-Identifier: BSD-2-Clause
#include "symbol/hex.h"

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool hex_field(const char **text, uint64_t *ret_value)
{
	const char *at = *text;
	uint64_t value = 0;
	int digit;

	for (; (digit = digit_of(*at)) >= 0; at++) {
		if (value >> 60)
			return false;
		value = value << 4 | (uint64_t)digit;
	}
	if (at == *text || (*at != ' ' && *at != '\t'))
		return false;
	*text = at + 1;
	*ret_value = value;
	return true;
}
