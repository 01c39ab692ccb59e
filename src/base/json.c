// SPDX-License-Identifier: BSD-2-Clause
#include "base/json.h"

#include <string.h>

/* The bytes of the UTF-8 character at TEXT, 0 when there is no valid one: too long a form, a
 * surrogate, beyond U+10FFFF, or cut short. */
static size_t utf8_size(const unsigned char *text)
{
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

static void put(FILE *out, const char *text)
{
	(void)fwrite(text, 1, strlen(text), out);
}

void json_print_string(FILE *out, const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	char escape[8];
	size_t size;

	put(out, "\"");
	for (; *c; c += size) {
		size = utf8_size(c);
		if (!size) {
			put(out, "\\ufffd");
			size = 1;
		} else if (*c == '"' || *c == '\\') {
			put(out, *c == '"' ? "\\\"" : "\\\\");
		} else if (*c < 0x20 || *c == 0x7f) {
			(void)snprintf(escape, sizeof(escape), "\\u%04x", *c);
			put(out, escape);
		} else {
			(void)fwrite(c, 1, size, out);
		}
	}
	put(out, "\"");
}
