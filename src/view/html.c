// SPDX-License-Identifier: BSD-2-Clause
#include "view/html.h"

#include "profile/replace.h"
#include "view/assets.h"
#include "view/html_section.h"

#include <errno.h>
#include <stdlib.h>

/* The page around its sections. */

/* Nothing may be fetched, but for what is newer, and no script runs but ours, whatever a name
 * holds.
 */
static void print_policy(FILE *out, bool moves)
{
	(void)fprintf(out,
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "style-src 'unsafe-inline'; img-src data:; script-src 'sha256-%s' "
		      "'sha256-%s' 'sha256-%s'",
		      html_js_hash, flame_js_hash, parts_js_hash);
	if (moves)
		(void)fprintf(out, " 'sha256-%s'; connect-src 'self'", live_js_hash);
	(void)fputs("\">\n", out);
}

void html_print_head(FILE *out, const char *title, bool moves)
{
	(void)fputs("<!doctype html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n", out);
	print_policy(out, moves);
	(void)fputs("<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
		    "<meta name=color-scheme content=\"light dark\">\n"
		    "<meta name=generator content=\"profil " PROFIL_VERSION "\">\n<title>",
		    out);
	html_print_name(out, title);
	/* The histogram of the logo, for the tab. */
	(void)fprintf(
		out,
		" – profil</title>\n<link rel=icon href=\"data:image/svg+xml,%%3Csvg "
		"xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='%%23d9622b'%%3E"
		"%%3Cpath d='M1 11h2v4H1zM5 6h2v9H5zM9 1h2v14H9zM13 9h2v6h-2z'/%%3E%%3C/svg%%3E\">"
		"\n<style>\n%s</style>\n</head>\n<body>\n<header>\n<p class=brand>"
		"<svg viewBox=\"0 0 16 16\" aria-hidden=true>"
		"<path d=\"M1 11h2v4H1zM5 6h2v9H5zM9 1h2v14H9zM13 9h2v6h-2z\"/></svg>profil</p>\n",
		html_css);
}

static void print_navigation(const struct html_part *part)
{
	FILE *out = part->section->out;

	(void)fputs("<nav aria-label=\"on this page\"><a href=\"#summary\">Summary</a> "
		    "<a href=\"#functions\">Functions</a>",
		    out);
	for (size_t i = 0; i < part->view->apart_count; i++)
		(void)fprintf(out, " <a href=\"#%s\">%s</a>",
			      table_by_name(part->view->apart[i]->by),
			      html_rows_title(part->view->apart[i]->by));
	if (part->view->flame)
		(void)fprintf(out, " <a href=\"#%s\">Flame graph</a>",
			      part->view->wall ? "flame-of" : "flame");
	(void)fputs(" <a href=\"#hist\">Histogram</a>", out);
	if (part->view->code->count)
		(void)fputs(" <a href=\"#code\">Code</a>", out);
	(void)fputs("</nav>\n", out);
}

static void print_title(const struct html_part *part)
{
	FILE *out = part->section->out;

	if (part->moves)
		(void)fputs("<p class=about id=moves role=status></p>\n", out);
	print_navigation(part);
	(void)fputs("</header>\n<main>\n<h1><code>", out);
	html_print_name(out, head_subject(part->section));
	(void)fputs("</code></h1>\n", out);
}

static int print_flames(FILE *out, const struct html_view *view)
{
	int ret;

	if (view->flame && view->wall)
		html_flame_switch(out);
	ret = html_flame(out, view->flame, "flame", "its samples",
			 html_has_parts(view) ? view : NULL);
	return ret ? ret
		   : html_flame(out, view->wall, "wall",
				"its time on CPUs (samples × period), waiting for one and blocked,",
				NULL);
}

static int print_page(const struct html_part *part)
{
	FILE *out = part->section->out;
	int ret;

	html_print_head(out, head_subject(part->section), part->moves);
	print_title(part);
	ret = html_summary(part);
	if (!ret)
		ret = html_rows(part);
	if (!ret)
		ret = print_flames(out, part->view);
	if (!ret)
		ret = html_hist(part);
	if (!ret)
		ret = html_code(part);
	(void)fprintf(out,
		      "</main>\n<footer>profil " PROFIL_VERSION
		      ", a histogram of the program counter: every sample is in it.</footer>\n"
		      "<script>\n%s</script>\n",
		      html_js);
	/* What flame.js finds is what parts.js has drawn. */
	if (html_has_parts(part->view))
		(void)fprintf(out, "<script>\n%s</script>\n", parts_js);
	if (part->view->flame)
		(void)fprintf(out, "<script>\n%s</script>\n", flame_js);
	if (part->moves)
		(void)fprintf(out, "<script>\n%s</script>\n", live_js);
	(void)fputs("</body>\n</html>\n", out);
	return ret;
}

int html_write(const struct html_view *view, const struct html_style *style, const char *path,
	       size_t *ret_size, struct error *reterr)
{
	const struct report_style plain = {
		.form = REPORT_HTML,
		.utf8 = true,
		.rows = style->rows,
		.file = style->file,
	};
	struct section section = {
		.profile = view->profile,
		.table = view->table,
		.style = &plain,
		.marks = text_marks(/* utf8= */ true),
		.code = view->code,
		.ranks = view->table->total >= EVIDENCE_FLOOR,
	};
	const struct html_part part = {&section, view, style->moves};
	char *text = NULL;
	size_t size;
	int ret;

	profile_account(view->profile, &section.account);
	section.out = open_memstream(&text, &size);
	if (!section.out)
		return -ENOMEM;
	ret = print_page(&part);
	if ((fclose(section.out) != 0 || !text) && !ret)
		ret = -ENOMEM;
	if (!ret)
		ret = replace_with(path, profile_privacy(view->profile), text, size, reterr);
	free(text);
	if (!ret)
		*ret_size = size;
	return ret;
}
