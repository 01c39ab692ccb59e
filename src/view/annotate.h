/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "analysis/annotate.h"
#include "view/report.h"

/* What of a function is shown. */
enum annotate_pane {
	PANE_BOTH,   /* instructions, beside each the source line it is of */
	PANE_SOURCE, /* source lines alone */
	PANE_ASM,    /* instructions alone */
};

struct annotate_style {
	struct report_style page; /* its rows are not used */
	enum annotate_pane pane;
	bool all;	/* every row; else runs without samples are folded ... */
	size_t context; /* ... but for so many rows around each that has some */
	size_t hottest; /* only so many rows count as having some, the hottest; 0: all */
};

/* What is shown, the hottest function first. */
struct annotate_view {
	const struct profile *profile;
	struct annotation *const *functions;
	size_t count;
	size_t found;	    /* functions that match, shown or not */
	const char *wanted; /* what was asked for, NULL: all */
	bool inlined;	    /* it is only ever inlined into the functions shown */
};

/* Print VIEW.  Returns 0, -ENOMEM, or -EIO when OUT could not be written; then errno has the
 * reason, or 0. */
int annotate_print(FILE *out, const struct annotate_view *view, const struct annotate_style *style);
