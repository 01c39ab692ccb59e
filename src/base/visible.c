// SPDX-License-Identifier: BSD-2-Clause
#include "base/visible.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct visible {
	FILE *out;
	char kept[5]; /* what may become one character, filled up with NUL */
	size_t count;
};

/* How many bytes must be seen to know what TEXT begins with. */
static size_t needed(const char *text)
{
	unsigned char first = (unsigned char)*text;

	if (first < 0xc2 || first > 0xf4)
		return first == '\r' ? 2 : 1;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* The bytes of the first character of TEXT, and whether a terminal may have it. */
static size_t judge(const char *text, bool *ret_harmless)
{
	size_t size = utf8_size(text);

	*ret_harmless = *text == '\n' || *text == '\t' || !utf8_is_control(text);
	if (text[0] != '\r' || text[1] != '\n')
		return size ? size : 1;
	*ret_harmless = true;
	return 2;
}

static void put_first(struct visible *visible)
{
	bool harmless;
	size_t size = judge(visible->kept, &harmless);
	char escape[8];

	if (harmless)
		(void)fwrite(visible->kept, 1, size, visible->out);
	for (size_t i = 0; i < size && !harmless; i++) {
		(void)snprintf(escape, sizeof(escape), "\\x%02x", (unsigned char)visible->kept[i]);
		(void)fwrite(escape, 1, strlen(escape), visible->out);
	}
	visible->count -= size;
	memmove(visible->kept, visible->kept + size, visible->count);
	memset(visible->kept + visible->count, 0, sizeof(visible->kept) - visible->count);
}

static ssize_t visible_write(void *cookie, const char *bytes, size_t size)
{
	struct visible *visible = cookie;

	for (size_t i = 0; i < size; i++) {
		visible->kept[visible->count++] = bytes[i];
		while (visible->count && visible->count >= needed(visible->kept))
			put_first(visible);
	}
	return fflush(visible->out) || ferror(visible->out) ? 0 : (ssize_t)size;
}

static int visible_end(void *cookie)
{
	struct visible *visible = cookie;
	int ret;

	while (visible->count)
		put_first(visible);
	ret = fflush(visible->out);
	free(visible);
	return ret;
}

FILE *visible_open(FILE *out)
{
	const cookie_io_functions_t calls = {.write = visible_write, .close = visible_end};
	struct visible *visible;
	FILE *file;

	if (!isatty(fileno(out)))
		return out;
	visible = calloc(1, sizeof(*visible));
	file = visible ? fopencookie(visible, "w", calls) : NULL;
	if (!file)
		free(visible);
	else
		visible->out = out;
	return file;
}

int visible_close(FILE *visible, FILE *out)
{
	return visible == out ? 0 : fclose(visible);
}
