/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef PROFIL_VIEW_ANNOTATE_SECTION_H
#define PROFIL_VIEW_ANNOTATE_SECTION_H

#include "view/annotate.h"
#include "view/layout.h"
#include "view/section.h"

/* The parts of an annotated function, each in a file of its own. */

struct annotate_section {
	const struct section *section; /* of the whole profile */
	const struct annotate_view *view;
	const struct annotate_style *style;
	const struct annotation *annotation; /* the function at hand */
	uint64_t peak;			     /* the ticks of its hottest row */
	bool ranks;			     /* it has enough ticks for shares of it */
};

/* The text: by instruction | by source line. */
int annotate_rows_print(const struct annotate_section *part);
int annotate_source_print(const struct annotate_section *part);

/* "mf.c:521-530" of the rows FIRST to LAST, "" when their lines are not known. */
struct annotate_range {
	char text[160];
};
struct annotate_range annotate_lines_of(const struct annotation *annotation, uint32_t first,
					uint32_t last, const char *to);

/* Which columns there is room for. */
bool annotate_has_interval(const struct annotate_section *part, unsigned wide);

/* Add share, interval and ticks to a row of a layout, blank where TICKS is 0. */
int annotate_add_ticks(struct layout *layout, const struct annotate_section *part, uint64_t ticks,
		       bool interval);

/* Which of COUNT rows are shown: those with ticks, and the style's context around them; WITH_TICKS
 * says which have some.  A single row is not worth a fold.  Heap, or NULL when memory is short. */
bool *annotate_choose(const struct annotate_style *style, const bool *with_ticks, size_t count);

void annotate_json(const struct section *section, const struct annotate_view *view);
void annotate_markdown(const struct section *section, const struct annotate_view *view,
		       const struct annotate_style *style);

#endif
