/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "view/annotate.h"
#include "view/grid.h"
#include "view/jumps.h"
#include "view/section.h"

/* The parts of an annotated function, each in a file of its own. */

struct annotate_section {
	const struct section *section; /* of the whole profile */
	const struct annotate_view *view;
	const struct annotate_style *style;
	const struct annotation *annotation; /* the function at hand */
	uint64_t peak;			     /* the samples of its hottest row */
	bool ranks;			     /* it has enough samples for shares of it */
};

/* By instruction | by source line, as text or as a table of the page. */
int annotate_rows_print(const struct annotate_section *part);
int annotate_source_print(const struct annotate_section *part);

/* The samples of the hottest row that PANE shows. */
uint64_t annotate_peak(const struct annotation *annotation, enum annotate_pane pane);

/* Has any row inlined code, of those SHOWN, or of those with samples where SHOWN is NULL? */
bool annotate_has_inlined(const struct annotation *annotation, const bool *shown);

/* Is any line of it known, is any row marked as skid? */
bool annotate_has_source(const struct annotation *annotation);
bool annotate_has_skid(const struct annotation *annotation);

/* A table of the function's rows, with intervals where the page has WIDE columns | the cell of
 * TICKS in it, blank for 0. */
struct grid annotate_grid(const struct annotate_section *part, const struct grid_column *columns,
			  unsigned wide);
struct grid_cell annotate_ticks(const struct annotate_section *part, uint64_t ticks);

/* What is to be known of the function: its hot loop, and what of it is missing | below its rows:
 * what the marks in them mean, and what has the same name.  A line each, and only where it applies.
 */
void annotate_print_about(const struct annotate_section *part);
void annotate_print_legend(const struct annotate_section *part);

/* Mark which of COUNT rows with these TICKS are shown for them: all that have some, or the style's
 * hottest.  Returns heap, or NULL when memory is short. */
bool *annotate_mark(const struct annotate_style *style, const uint64_t *ticks, size_t count);

/* Which of COUNT rows are shown: those MARKED, and the style's context around them.  A single row
 * is not worth a fold.  Heap, or NULL when memory is short. */
bool *annotate_choose(const struct annotate_style *style, const bool *marked, size_t count);

/* A listing by instruction: what of it is shown. */
struct annotate_listing {
	bool *shown;	   /* which rows are; a run of others is one fold */
	uint32_t *visible; /* for each row its place among rows and folds */
	size_t visible_count;
	struct jumps jumps; /* between rows that are shown */
	size_t indent;	    /* blanks that all its source lines begin with */
};
int annotate_listing_init(const struct annotate_section *part,
			  struct annotate_listing *ret_listing);
void annotate_listing_done(struct annotate_listing *listing);

/* The source text of LINE of ANNOTATION's lines, NULL when it is not known. */
const char *annotate_text(const struct annotation *annotation, uint32_t line);

/* A listing by source line, file by file: each of these is called in the order of what it stands
 * for, and returns 0 or a negative errno that ends it. */
struct annotate_source_ops {
	int (*file)(void *context, const struct annotated_file *file);
	/* NUMBER 0 has what no line is known of; LINE is NULL where the line has no code. */
	int (*line)(void *context, const struct annotated_file *file, uint32_t number,
		    const struct annotated_line *line);
	int (*fold)(void *context, size_t count, uint64_t ticks);
};
int annotate_source_walk(const struct annotate_section *part, const struct annotate_source_ops *ops,
			 void *context);

/* The samples of all functions that are shown. */
uint64_t annotate_shown(const struct annotate_view *view);

/* They return 0 or -ENOMEM. */
int annotate_json(const struct section *section, const struct annotate_view *view);
int annotate_markdown(const struct section *section, const struct annotate_view *view,
		      const struct annotate_style *style);
