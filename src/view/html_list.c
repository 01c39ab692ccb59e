// SPDX-License-Identifier: BSD-2-Clause
#include "view/html_list.h"

#include "view/html_section.h"

#include <ctype.h>
#include <inttypes.h>

static void print_address(FILE *out, const char *address)
{
	for (; *address; address++) {
		unsigned char byte = (unsigned char)*address;

		if (byte < 0x80 && isalnum(byte))
			(void)fputc(byte, out);
		else
			(void)fprintf(out, "%%%02X", byte);
	}
}

static void print_choice(FILE *out, const struct html_listed *item, const char *side, bool checked)
{
	(void)fprintf(out, "<td><input type=checkbox name=%s aria-label=\"%s: ", side, side);
	html_print_name(out, item->name);
	(void)fputs("\" value=\"", out);
	html_print_text(out, item->address);
	(void)fprintf(out, "\"%s>", checked ? " checked" : "");
}

static void print_item(FILE *out, const struct html_listed *item, bool is_old, bool is_new)
{
	(void)fprintf(out, "<tr data-samples=%" PRIu64 ">", item->samples);
	print_choice(out, item, "before", is_old);
	print_choice(out, item, "after", is_new);
	(void)fputs("<th scope=row class=f><a href=\"/profile/", out);
	print_address(out, item->address);
	(void)fputs("\">", out);
	html_print_name(out, item->name);
	(void)fputs("</a><td>", out);
	(void)fprintf(out, "%s<td class=n>%s<td class=n>%s<td class=f><code>",
		      text_date(item->time_ns, /* with_seconds= */ true).text,
		      text_count(item->samples).text,
		      item->duration_ns ? text_time(item->duration_ns).text : "");
	html_print_name(out, item->program);
	(void)fputs("</code>\n", out);
}

static void print_unread(FILE *out, const struct html_listed *items, size_t count)
{
	(void)fprintf(out,
		      "<h2>%s file%s could not be read as a profile</h2>\n<ul id=unread "
		      "class=about>\n",
		      text_count(count).text, text_plural(count));
	for (size_t i = 0; i < count; i++) {
		(void)fputs("<li>", out);
		html_print_text(out, items[i].why);
		(void)fputs("\n", out);
	}
	(void)fputs("</ul>\n", out);
}

/* The newest are compared where nothing else is chosen. */
void html_list_print(FILE *out, const struct html_listed *items, size_t count, const char *moves)
{
	size_t unread = 0;

	while (unread < count && items[count - unread - 1].why)
		unread++;
	count -= unread;
	html_print_head(out, "profiles", /* moves= */ false);
	(void)fprintf(out, "</header>\n<main>\n<h1>Profiles <small>%s</small></h1>\n",
		      text_count(count).text);
	if (moves)
		(void)fprintf(out, "<p><a href=\"%s\">What is measured now</a></p>\n", moves);
	(void)fputs("<form action=\"/diff\">\n", out);
	if (count > 1)
		(void)fputs("<p class=tools><button>Compare</button> <span>Several on a side are "
			    "repeats: "
			    "only they tell change from chance.</span></p>\n",
			    out);
	(void)fputs("<div class=scroll role=region tabindex=0 aria-label=profiles>"
		    "<table id=list class=rows><thead><tr><th scope=col>before<th scope=col>after"
		    "<th scope=col>profile<th scope=col>taken<th scope=col class=n>samples"
		    "<th scope=col class=n>elapsed<th scope=col>program</thead><tbody>\n",
		    out);
	for (size_t i = 0; i < count; i++)
		print_item(out, &items[i], i == 1, i == 0);
	(void)fputs("</tbody></table></div>\n", out);
	(void)fputs("</form>\n", out);
	if (unread)
		print_unread(out, items + count, unread);
	(void)fputs("</main>\n</body>\n</html>\n", out);
}
