// SPDX-License-Identifier: BSD-2-Clause
#include "view/compare_private.h"

#include "base/path.h"
#include "profile/replace.h"
#include "view/assets.h"
#include "view/html_section.h"

#include <errno.h>
#include <stdlib.h>

/* A comparison as a page: what is compared, the flame graph of what changed, and the rows. */

/* The script makes the picture as wide as the page. */
#define FLAME_WIDTH 1200
#define FLAME_NARROW 0.5

static int print_head(const struct section *section, const void *context)
{
	struct comparison comparison = *(const struct comparison *)context;

	comparison.out = section->out;
	comparison_print_head(&comparison);
	return 0;
}

static int print_significance(const struct section *section, const void *context)
{
	struct comparison comparison = *(const struct comparison *)context;

	comparison.out = section->out;
	comparison_print_significance(&comparison);
	return 0;
}

static int print_foot(const struct section *section, const void *context)
{
	struct comparison comparison = *(const struct comparison *)context;

	comparison.out = section->out;
	comparison_print_foot(&comparison);
	return 0;
}

/* What PRINT writes, each line a paragraph. */
static int print_lines(const struct comparison *comparison, page_write *print)
{
	const struct section section = {.out = comparison->out, .style = &comparison->style->page};
	int ret;

	(void)fputs("<div class=about>\n", comparison->out);
	ret = html_print_lines(&section, print, comparison, "p");
	(void)fputs("</div>\n", comparison->out);
	return ret;
}

static void print_title(const struct comparison *comparison)
{
	static const char title[] = "comparison";
	FILE *out = comparison->out;

	html_print_head(out, title, /* moves= */ false);
	(void)fputs("<nav aria-label=\"on this page\"><a href=\"#summary\">Summary</a> "
		    "<a href=\"#flame\">Flame graph</a> <a href=\"#changes\">Table</a></nav>\n"
		    "</header>\n<main>\n<h1><code>",
		    out);
	html_print_name(out, path_base(comparison->style->files[DIFF_BEFORE]));
	(void)fputs("</code> and <code>", out);
	html_print_name(out, path_base(comparison->style->files[DIFF_AFTER]));
	(void)fputs("</code></h1>\n", out);
}

static int print_summary(const struct comparison *comparison)
{
	int ret;

	(void)fputs("<section id=summary aria-labelledby=summary-title>\n"
		    "<h2 id=summary-title>Compared</h2>\n",
		    comparison->out);
	ret = print_lines(comparison, print_head);
	(void)fputs("</section>\n", comparison->out);
	return ret;
}

static int print_flame(FILE *out, const struct diff *frames, const struct compare_style *style)
{
	struct comparison comparison;
	int ret;

	if (!frames) {
		(void)fputs("<section id=flame aria-labelledby=flame-title>\n"
			    "<h2 id=flame-title>Flame graph</h2>\n<p class=about>There is none: a "
			    "profile has no call stacks: take all with -g.</p>\n</section>\n",
			    out);
		return 0;
	}
	comparison = comparison_of(out, frames, style);
	ret = comparison_flame(&comparison, FLAME_WIDTH, FLAME_NARROW);
	return ret ? ret : print_lines(&comparison, print_significance);
}

static int print_rows(const struct comparison *comparison)
{
	size_t shown = comparison_rows(comparison);
	FILE *out = comparison->out;
	int ret;

	(void)fprintf(out,
		      "<section id=changes aria-labelledby=changes-title>\n"
		      "<h2 id=changes-title>Table <small>%s</small></h2>\n"
		      "<div class=scroll role=region tabindex=0 aria-labelledby=changes-title>"
		      "<table class=\"rows changes\">",
		      text_many(comparison->diff->row_count, "row").text);
	ret = compare_rows_print(comparison, NULL);
	(void)fputs("</table></div>\n", out);
	html_print_more(out, shown, "row", "");
	if (!ret)
		ret = print_lines(comparison, print_foot);
	(void)fputs("</section>\n", out);
	return ret;
}

static int print_page(FILE *out, const struct diff *diff, const struct diff *frames,
		      const struct compare_style *style)
{
	struct comparison comparison = comparison_of(out, diff, style);
	int ret;

	print_title(&comparison);
	ret = print_summary(&comparison);
	ret = ret ? ret : print_flame(out, frames, style);
	ret = ret ? ret : print_rows(&comparison);
	(void)fprintf(out,
		      "</main>\n<footer>profil " PROFIL_VERSION "</footer>\n"
		      "<script>\n%s</script>\n</body>\n</html>\n",
		      flame_js);
	return ret;
}

int compare_write(const struct diff *diff, const struct diff *frames,
		  const struct compare_style *style, const char *path, unsigned how,
		  size_t *ret_size, struct error *reterr)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int ret = out ? print_page(out, diff, frames, style) : -ENOMEM;

	if (out && (fclose(out) || !text) && !ret)
		ret = -ENOMEM;
	if (!ret)
		ret = replace_with(path, how, text, size, reterr);
	free(text);
	if (!ret)
		*ret_size = size;
	return ret;
}
