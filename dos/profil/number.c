/* SPDX-License-Identifier: BSD-2-Clause */
#include "profil/number.h"

#include "base/text.h"

#define NO_MORE_DIGITS 6553

int number_read(const char *text, unsigned minimum, unsigned *ret_number, const char **ret_end)
{
	unsigned number = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		if (number >= NO_MORE_DIGITS)
			return 1;
		number = number * 10 + (*at - '0');
	}
	if (at == text || number < minimum)
		return 1;
	*ret_number = number;
	*ret_end = at;
	return 0;
}

/* What a hexadecimal digit is worth, or 16. */
static unsigned hex_digit(char letter)
{
	letter = text_upper(letter);
	if (letter >= '0' && letter <= '9')
		return letter - '0';
	if (letter >= 'A' && letter <= 'F')
		return letter - 'A' + 10;
	return 16;
}

int number_read_hex(const char *text, unsigned *ret_number, const char **ret_end)
{
	unsigned number = 0;
	const char *at = text;

	for (; hex_digit(*at) < 16; at++) {
		if (at - text == 4)
			return 1;
		number = number << 4 | hex_digit(*at);
	}
	if (at == text)
		return 1;
	*ret_number = number;
	*ret_end = at;
	return 0;
}
