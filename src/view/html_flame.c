// SPDX-License-Identifier: BSD-2-Clause
#include "view/flame.h"
#include "view/html_section.h"

/* The call stacks as a picture that moves: from the roots down, so that it begins where it is
 * looked at first. */

/* What only the script can do is not there without it. */
static void print_tools(FILE *out, const char *id, bool parts)
{
	(void)fprintf(out, "<p class=tools id=%s-tools hidden>", id);
	if (parts)
		(void)fputs("<label id=flame-of-part>Samples of <select id=flame-part></select>"
			    "</label> ",
			    out);
	(void)fprintf(out,
		      "<label for=%s-search>Search</label> "
		      "<input id=%s-search type=search placeholder=\"a regular expression\" "
		      "autocomplete=off spellcheck=false> "
		      "<button type=button id=%s-reset>Reset</button> "
		      "%s<a id=%s-code hidden>its code</a></p>\n"
		      "<p class=flame-status id=%s-status role=status></p>\n",
		      id, id, id,
		      parts ? "<button type=button id=flame-around disabled>Its callers and callees"
			      "</button> "
			    : "",
		      id, id);
}

static void print_legend(FILE *out, const struct flame *flame)
{
	struct flame_key keys[FLAME_KEYS];
	size_t count = flame->meaning->keys(flame, keys);

	(void)fputs("<p class=about>", out);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(out,
			      "<span class=swatch style=\"background:#%02x%02x%02x\"></span>%s "
			      "&ensp;",
			      keys[i].color.red, keys[i].color.green, keys[i].color.blue,
			      keys[i].name);
	(void)fputs("</p>\n", out);
}

void html_flame_switch(FILE *out)
{
	(void)fputs("<p class=tools id=flame-of role=radiogroup aria-label=\"widths of the flame "
		    "graph\">Widths of the flame graph: <label><input type=radio name=flame-of "
		    "checked> CPU time</label> <label><input type=radio name=flame-of id=of-wall> "
		    "all of the time of threads, also waiting</label></p>\n",
		    out);
}

int html_flame(FILE *out, const struct flame *flame, const char *id, const char *width,
	       const struct html_view *parts)
{
	int ret;

	if (!flame)
		return 0;
	(void)fprintf(out,
		      "<section id=%s aria-labelledby=%s-title>\n"
		      "<h2 id=%s-title>Flame graph <small>each function below its caller, as wide "
		      "as %s with all that it called</small></h2>\n",
		      id, id, id, width);
	print_tools(out, id, parts);
	(void)fputs("<div class=flame-box>\n", out);
	ret = flame_embed(flame, out);
	(void)fputs("</div>\n", out);
	print_legend(out, flame);
	if (parts && !ret)
		ret = html_parts(out, parts);
	(void)fputs("</section>\n", out);
	return ret;
}
