// SPDX-License-Identifier: BSD-2-Clause
#include "view/html_section.h"
#include "view/shorten.h"

#include <stdlib.h>
#include <string.h>

/* How text gets onto the page: no byte of a profile is ever markup. */

static void put(FILE *out, const char *character, size_t size)
{
	static const char special[] = "<>&\"'";
	static const char *const escapes[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
	const char *found = strchr(special, *character);

	if (found)
		(void)fputs(escapes[found - special], out);
	else
		(void)fwrite(character, 1, size, out);
}

void html_print_text(FILE *out, const char *text)
{
	text_print_each(out, text, SIZE_MAX, put);
}

void html_print_name(FILE *out, const char *text)
{
	text_print_each(out, text, HTML_NAME, put);
}

void html_print_function(FILE *out, const char *text)
{
	char *name = shorten_function(text, HTML_NAME, /* utf8= */ true);

	text_print_each(out, name ? name : text, HTML_NAME, put);
	free(name);
}

void html_print_code(FILE *out, const char *text)
{
	text_print_each(out, text, HTML_CODE_TEXT, put);
}

static void print_lines(FILE *out, char *text, const char *tag)
{
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		if (!*line)
			continue;
		(void)fprintf(out, "<%s>", tag);
		html_print_text(out, line);
		(void)fprintf(out, "</%s>\n", tag);
	}
}

int html_print_lines(const struct section *section, page_write *print, const void *context,
		     const char *tag)
{
	char *text;
	int ret = page_text(section, print, context, &text);

	if (ret < 0)
		return ret;
	print_lines(section->out, text, tag);
	free(text);
	return 0;
}

void html_print_share(FILE *out, uint64_t ticks, uint64_t total, bool ranks)
{
	if (ranks)
		(void)fprintf(out, "<td class=n>%s",
			      ticks ? text_share((double)ticks / (double)total).text : "");
}

void html_print_interval(FILE *out, uint64_t ticks, uint64_t total, bool ranks)
{
	struct interval range = interval_of_share(ticks, total);

	if (ranks && ticks)
		(void)fprintf(out, "<td class=v>%.1f – %.1f %%", 100 * range.low, 100 * range.high);
	else if (ranks)
		(void)fputs("<td class=v>", out);
}

void html_print_ticks(FILE *out, uint64_t ticks)
{
	(void)fprintf(out, "<td class=n>%s", ticks ? text_count(ticks).text : "");
}

void html_print_more(FILE *out, size_t rows, const char *what, const char *attribute)
{
	if (rows > HTML_OPEN)
		(void)fprintf(out,
			      "<details class=more%s><summary>%s more %s%s</summary></details>\n",
			      attribute, text_count(rows - HTML_OPEN).text, what,
			      text_plural(rows - HTML_OPEN));
}

void html_print_bar(FILE *out, uint64_t ticks, uint64_t total, double scale)
{
	struct interval range = interval_of_share(ticks, total);

	(void)fprintf(out,
		      "<td class=b><span class=bar><b style=width:%.1f%%></b><i "
		      "style=width:%.1f%%></i></span>",
		      100 * range.low / scale, 100 * (range.high - range.low) / scale);
}

void html_print_heat(FILE *out, double heat)
{
	struct heat_color color = heat_color(heat);

	(void)fprintf(out, "--h:%d %d %d", color.red, color.green, color.blue);
}
