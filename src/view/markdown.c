// SPDX-License-Identifier: BSD-2-Clause
#include "view/markdown.h"

#include "view/shorten.h"
#include "view/text.h"

#include <stdlib.h>

/* A name longer than this, some templates' are, would push all columns behind it off the page. */
#define CODE_WIDTH 100

/* The longest run of backquotes in TEXT: code that has some is set off by one more. */
static int longest_quotes(const char *text)
{
	int longest = 0, run = 0;

	for (; *text; text++) {
		run = *text == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void print_quotes(FILE *out, int count)
{
	while (count-- > 0)
		(void)fputc('`', out);
}

/* A table is cut at every "|" before anything else is looked at, but for those behind "\". */
static void put(FILE *out, const char *character, size_t size)
{
	if (*character == '|')
		(void)fputc('\\', out);
	(void)fwrite(character, 1, size, out);
}

void markdown_print_code(FILE *out, const char *text)
{
	int quotes = longest_quotes(text);

	if (!*text)
		return;
	print_quotes(out, quotes + 1);
	(void)fputs(quotes ? " " : "", out);
	text_print_each(out, text, CODE_WIDTH, put);
	(void)fputs(quotes ? " " : "", out);
	print_quotes(out, quotes + 1);
}

void markdown_print_function(FILE *out, const char *name)
{
	char *text = shorten_function(name, CODE_WIDTH, /* utf8= */ true);

	markdown_print_code(out, text ? text : name);
	free(text);
}
