// SPDX-License-Identifier: BSD-2-Clause
#include "base/json.h"

#include "base/utf8.h"

#include <string.h>

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
		size = utf8_size((const char *)c);
		if (!size) {
			put(out, "\\ufffd");
			size = 1;
		} else if (*c == '"' || *c == '\\') {
			put(out, *c == '"' ? "\\\"" : "\\\\");
		} else if (utf8_is_control((const char *)c)) {
			/* Of two bytes, the second is the character's number. */
			(void)snprintf(escape, sizeof(escape), "\\u%04x", c[size - 1]);
			put(out, escape);
		} else {
			(void)fwrite(c, 1, size, out);
		}
	}
	put(out, "\"");
}
