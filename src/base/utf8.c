// SPDX-License-Identifier: BSD-2-Clause
#include "base/utf8.h"

/* Too long a form, a surrogate, beyond U+10FFFF or cut short: none of them is one. */
size_t utf8_size(const char *bytes)
{
	const unsigned char *text = (const unsigned char *)bytes;
	static const struct {
		unsigned char first_low, first_high, second_low, second_high;
		size_t size;
	} forms[] = {
		{0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (text[0] < forms[i].first_low || text[0] > forms[i].first_high)
			continue;
		if (forms[i].size > 1 &&
		    (text[1] < forms[i].second_low || text[1] > forms[i].second_high))
			return 0;
		for (size_t j = 2; j < forms[i].size; j++)
			if ((text[j] & 0xc0) != 0x80)
				return 0;
		return forms[i].size;
	}
	return 0;
}

bool utf8_is_control(const char *text)
{
	unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];

	if (first < 0x80)
		return first < 0x20 || first == 0x7f;
	return utf8_size(text) ? first == 0xc2 && second < 0xa0 : first < 0xa0;
}
