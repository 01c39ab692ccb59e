/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/text.h"

unsigned text_length(const char *text)
{
	unsigned length = 0;

	while (text[length])
		length++;
	return length;
}

int text_same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

char *text_put(char *to, const char *text)
{
	while (*text)
		*to++ = *text++;
	*to = 0;
	return to;
}

char text_upper(char letter)
{
	return letter >= 'a' && letter <= 'z' ? letter - ('a' - 'A') : letter;
}
