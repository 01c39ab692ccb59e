// SPDX-License-Identifier: BSD-2-Clause
#include "view/page.h"

#include "view/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define INDENT 2

/* The bytes of the character or escape sequence at TEXT, with the columns it takes. */
static size_t item_size(const char *text, bool utf8, size_t *ret_columns)
{
	*ret_columns = text[0] != '\033';
	return *ret_columns ? text_character(text, utf8) : strcspn(text, "m") + 1;
}

/* At the first of some blanks, but for those that set the line in, and never before a "%". */
static bool may_break(const char *text, size_t i, size_t first)
{
	return i > first && text[i] == ' ' && text[i - 1] != ' ' && text[i + 1] != '%';
}

/* Where the line at TEXT, LENGTH bytes of it, must be broken to take at most WIDTH columns: at the
 * last blank that is not too late, or else at the first one.  LENGTH when it need not or cannot. */
static size_t break_at(const char *text, size_t length, size_t width, bool utf8)
{
	size_t taken = 0, best = 0, first = strspn(text, " "), columns, size;

	for (size_t i = 0; i < length; i += size) {
		size = item_size(text + i, utf8, &columns);
		if (may_break(text, i, first) && (taken <= width || !best))
			best = i;
		taken += columns;
	}
	return taken > width && best ? best : length;
}

static void print_line(FILE *out, const char *text, size_t length, size_t width, bool utf8)
{
	size_t indent = 0, part;

	while ((part = break_at(text, length, width - indent, utf8)) < length) {
		(void)fprintf(out, "%*s%.*s\n", (int)indent, "", (int)part, text);
		part += strspn(text + part, " ");
		text += part;
		length -= part;
		indent = INDENT;
	}
	(void)fprintf(out, "%*s%.*s\n", (int)indent, "", (int)length, text);
}

void wrap_print(FILE *out, const char *text, size_t width, bool utf8)
{
	const char *end;

	for (; (end = strchr(text, '\n')) != NULL; text = end + 1)
		print_line(out, text, (size_t)(end - text), width, utf8);
}

int page_text(const struct section *section, page_write *print, const void *context,
	      char **ret_text)
{
	struct section aside = *section;
	char *text = NULL;
	size_t size;
	int ret;

	aside.out = open_memstream(&text, &size);
	if (!aside.out)
		return -ENOMEM;
	ret = print(&aside, context);
	if ((fclose(aside.out) != 0 || !text) && ret >= 0)
		ret = -ENOMEM;
	if (ret >= 0)
		*ret_text = text;
	else
		free(text);
	return ret;
}

static int print_wrapped(const struct section *section, page_write *print, const void *context)
{
	char *text;
	int ret = page_text(section, print, context, &text);

	if (ret < 0)
		return ret;
	wrap_print(section->out, text, section->style->width, section->style->utf8);
	free(text);
	return ret;
}

int page_flush(FILE *out)
{
	errno = 0;
	return fflush(out) == 0 && !ferror(out) ? 0 : -EIO;
}

int page_print(const struct section *section, page_write *print, const void *context)
{
	bool wraps = section->style->form == REPORT_TEXT && section->style->width;
	int ret = wraps ? print_wrapped(section, print, context) : print(section, context);

	return ret < 0 ? ret : page_flush(section->out);
}
