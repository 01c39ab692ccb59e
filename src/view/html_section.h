/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/interval.h"
#include "view/annotate_section.h"
#include "view/heat.h"
#include "view/html.h"
#include "view/page.h"
#include "view/section.h"

/* The sections of a page, each in a file of its own. */

struct html_part {
	const struct section *section; /* .out has the page; texts are for eyes, without colours */
	const struct html_view *view;
	bool moves;
};

/* What every page begins with, the brand in its header, which stays open.  MOVES: as of struct
 * html_style. */
void html_print_head(FILE *out, const char *title, bool moves);

/* Each returns 0 or -ENOMEM. */
int html_summary(const struct html_part *part);
int html_rows(const struct html_part *part);
const char *html_rows_title(enum table_by by);
int html_hist(const struct html_part *part);
int html_code(const struct html_part *part);

/* FLAME, which may be NULL for none, as the section ID; its boxes are as wide as WIDTH says.  The
 * switch is between the sections "flame" and "wall".  PARTS, which may be NULL, is of what else
 * parts.js draws there. */
int html_flame(FILE *out, const struct flame *flame, const char *id, const char *width,
	       const struct html_view *parts);
void html_flame_switch(FILE *out);

/* Whether the flame graph is drawn by parts.js, too, and what of: the trees of the profile's parts,
 * within the section of "flame".  Returns 0 or -ENOMEM. */
bool html_has_parts(const struct html_view *view);
int html_parts(FILE *out, const struct html_view *view);

/* The number of the function of ROW among those of CODE that have some, or their count. */
size_t html_find_code(const struct annotate_view *code, const struct table_row *row);

/* ---- text ---- */

/* TEXT as text or as an attribute's value, whatever is in it; names and code cut in their middle,
 * names of functions shortened as such. */
void html_print_text(FILE *out, const char *text);
void html_print_name(FILE *out, const char *text);
void html_print_function(FILE *out, const char *text);
void html_print_code(FILE *out, const char *text);

/* What PRINT writes to the section that it is called with, each line of it an element TAG.  Returns
 * 0 or -ENOMEM. */
int html_print_lines(const struct section *section, page_write *print, const void *context,
		     const char *tag);

/* ---- cells of a row ---- */

/* Share and interval of TICKS among TOTAL (nothing where RANKS is false), then the samples.  Blank
 * where TICKS is 0. */
void html_print_share(FILE *out, uint64_t ticks, uint64_t total, bool ranks);
void html_print_interval(FILE *out, uint64_t ticks, uint64_t total, bool ranks);
void html_print_ticks(FILE *out, uint64_t ticks);

/* A bar: full to the low end of the interval, pale to its high end; SCALE is a whole bar's share.
 */
void html_print_bar(FILE *out, uint64_t ticks, uint64_t total, double scale);

/* Below a table in a section: opens its rows beyond the first, which html.css hides until then. */
void html_print_more(FILE *out, size_t rows, const char *what, const char *attribute);

/* The value of an attribute "style" that heats a row. */
void html_print_heat(FILE *out, double heat);
